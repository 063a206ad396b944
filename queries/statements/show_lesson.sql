-- One lesson.
select *
from v_lessons
where lesson_id = $id;
