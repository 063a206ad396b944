"""Which statements of Java, Go and Rust say the same, and which only look like it."""

import pytest

from tests.projections.proof.judging import judged

GO_SAME = [
    ("x++", "x += 1"),
    ("x = x + 2", "x += 2"),
    ("if a == true { f() }", "if a { f() }"),
    ("switch { case a: f(); case b: g(); default: h() }", "if a { f() } else if b { g() } else { h() }"),
    ("switch x { case 1, 2: f(); default: h() }", "if x == 1 || x == 2 { f() } else { h() }"),
    ("if err := f(); err != nil { return }; g()", "err := f(); if err != nil { return }; g()"),
    ("for _ = range x { f() }", "for range x { f() }"),
    ("for k, _ := range x { f(k) }", "for k := range x { f(k) }"),
    ("y := s[0:len(s)]; f(y, y)", "y := s[:]; f(y, y)"),
    ("v, _ := m[k]; f(v, v)", "v := m[k]; f(v, v)"),
    ("v := []T{T{1}, T{2}}; f(v, v)", "v := []T{{1}, {2}}; f(v, v)"),
    ("v := []*T{&T{1}}; f(v, v)", "v := []*T{{1}}; f(v, v)"),
    ('v := map[string]T{"a": T{1}}; f(v, v)', 'v := map[string]T{"a": {1}}; f(v, v)'),
    ("v := [][]int{[]int{1}}; f(v, v)", "v := [][]int{{1}}; f(v, v)"),
    ("for { if a { break }; f() }", "for !a { f() }"),
    ("if a { return }; f()", "if !a { f() }"),
    ("if len(x) > 0 { f() }", "if len(x) != 0 { f() }"),
    ("_ = <-c", "<-c"),
    ('f("a" + "b")', 'f("ab")'),
]
GO_PACKAGES_SAME = [
    ("if strings.Index(s, x) != -1 { f() }", "if strings.Contains(s, x) { f() }"),
    ('return errors.New(fmt.Sprintf("a %d", x))', 'return fmt.Errorf("a %d", x)'),
    ("return time.Now().Sub(x)", "return time.Since(x)"),
    ("return ioutil.ReadFile(x)", "return os.ReadFile(x)"),
    ("sort.Sort(sort.StringSlice(x))", "sort.Strings(x)"),
    ("f(strings.Replace(a, b, c, -1))", "f(strings.ReplaceAll(a, b, c))"),
    ("f(make([]int, n, n))", "f(make([]int, n))"),
]
JAVA_SAME = [
    ("i++;", "i += 1;"),
    ("x = x + y;", "x += y;"),
    ("if (a == true) f();", "if (a) { f(); }"),
    ("List<String> l = new ArrayList<String>(); f(l, l);", "List<String> l = new ArrayList<>(); f(l, l);"),
    ("final int q = g(); f(q, q);", "int q = g(); f(q, q);"),
    ("this.v = this.w + 1;", "v = w + 1;"),
    ("g(x -> { return x + 1; });", "g(x -> x + 1);"),
    ("if (s.size() == 0) f();", "if (s.isEmpty()) f();"),
    ("if (s.length() > 0) f();", "if (!s.isEmpty()) f();"),
    ("if (a) { return 1; } else { return 2; }", "return a ? 1 : 2;"),
    ("boolean q = a ? true : false; f(q, q);", "boolean q = a; f(q, q);"),
    ("if (a) return true; return false;", "return a;"),
    ("for (int i = 0; i < 3; ++i) f();", "for (int i = 0; i < 3; i++) { f(); }"),
    ('f("a" + x + "b" + "c");', 'f("a" + x + "bc");'),
    ("while (true) { if (a) break; f(); }", "while (!a) { f(); }"),
    ("for (;;) { f(); }", "while (true) { f(); }"),
    ("int q; q = 1; f(q, q);", "int q = 1; f(q, q);"),
    ("int q = g(), r = f(); h(q, r, q, r);", "int q = g(); int r = f(); h(q, r, q, r);"),
]
RUST_SAME = [
    ("return x;", "x"),
    ("if a { return 1; } 2", "if a { 1 } else { 2 }"),
    ("let q = if a { 1 } else { 2 }; f(q, q)", "let q; if a { q = 1; } else { q = 2; } f(q, q)"),
    ("if a { true } else { false }", "a"),
    ("if let Some(v) = o { f(v) } else { g() }", "match o { Some(v) => f(v), None => g() }"),
    ("if let Some(v) = o { return f(v); } g()", "match o { Some(v) => return f(v), _ => {} } g()"),
    ("S { a: a, b }", "S { a, b: b }"),
    ("x = x + 1; x", "x += 1; x"),
    ("if s.len() == 0 { 1 } else { 2 }", "if s.is_empty() { 1 } else { 2 }"),
    ("for q in s.iter() { f(q); } 1", "for q in &s { f(q); } 1"),
    ("for q in s.into_iter() { f(q); } 1", "for q in s { f(q); } 1"),
    ("s.iter().map(|q| f(q)).count()", "s.iter().map(f).count()"),
    ('println!("{} {:?}!", x, o); 1', 'println!("{x} {o:?}!"); 1'),
    ('format!("{}{}", x, f(2))', 'format!("{x}{}", f(2))'),
    ("loop { if a { break; } f(1); } 1", "while !a { f(1); } 1"),
    ("match o { A => { 1 } B => 2 }", "match o { A => 1, B => 2, }"),
    ("if a == false { 1 } else { 2 }", "if !a { 1 } else { 2 }"),
    ("s.iter().filter(|q| p(q)).next()", "s.iter().find(|q| p(q))"),
    ("if a { if x > 1 { f(1); } } 3", "if a && x > 1 { f(1); } 3"),
    ("match o { A => return 1, B => { return 2; } }", "match o { A => 1, B => 2 }"),
]
RUST_UNIT_SAME = [
    ("f(1)", "f(1);"),
    ("return f(1);", "f(1);"),
    ("if a { f(1) } else { g() }", "if a { f(1); } else { g(); }"),
    ("match o { Some(v) => f(v), None => () }", "if let Some(v) = o { f(v); }"),
    ("for q in s { f(q) }", "for q in s { f(q); }"),
    ("if a { return; } f(1);", "if !a { f(1); }"),
]
# What looks the same and is not.
GO_DIFFERENT = [
    ("x = 2 - x", "x -= 2"),
    ("x++", "x += 2"),
    ("switch { case a: f(); break; default: h() }; g()", "if a { f(); g() } else { h() }; g()"),
    ("switch x { case 1: f(); fallthrough; case 2: g() }", "if x == 1 { f() } else if x == 2 { g() }"),
    ("switch f() { case 1: g(); case 2: h() }", "if f() == 1 { g() } else if f() == 2 { h() }"),
    ("for _, v := range x { f(v) }", "for v := range x { f(v) }"),
    ("y := s[0:len(t)]; f(y, y)", "y := s[:]; f(y, y)"),
    ("y := s[1:]; f(y, y)", "y := s[:]; f(y, y)"),
    ("v, ok := m[k]; f(v, ok)", "v := m[k]; f(v, v)"),
    ("v := []T{U{1}}; f(v, v)", "v := []T{{1}}; f(v, v)"),
    ("v := []*T{T{1}}; f(v, v)", "v := []*T{{1}}; f(v, v)"),
    ("for { if a { continue }; f() }", "for !a { f() }"),
    ("if x < y { f() } else { g() }", "if x >= y { g() } else { f() }"),
    ("f(make([]int, n, k))", "f(make([]int, n))"),
]
GO_PACKAGES_DIFFERENT = [
    ("if strings.Index(s, x) > 0 { f() }", "if strings.Contains(s, x) { f() }"),
    ("f(strings.Replace(a, b, c, 1))", "f(strings.ReplaceAll(a, b, c))"),
    ("return time.Now().Add(x)", "return time.Since(x)"),
]
JAVA_DIFFERENT = [
    ("x = y - x;", "x -= y;"),
    ("f(x++);", "f(x += 1);"),
    ("this.v = x;", "x = this.v;"),
    ("if (x < y) f(); else g();", "if (x >= y) g(); else f();"),
    ('f(x + "b");', 'f("b" + x);'),
    ('f("\\\\1" + "2");', 'f("\\\\12");'),
    ("g(x -> { return x; });", "g(x -> { f(x); });"),
    ("if (s.size() == 1) f();", "if (s.isEmpty()) f();"),
    ("if (a) return 1; f(); return 2;", "return a ? 1 : 2;"),
    ("switch (x) { case 1: f(); case 2: g(); }", "if (x == 1) { f(); } else if (x == 2) { g(); }"),
    ("List l = new ArrayList<String>(); f(l, l);", "List l = new LinkedList<>(); f(l, l);"),
]
RUST_DIFFERENT = [
    ("return x;", "x + 1"),
    ("if a { return 1; } 2", "if a { 2 } else { 1 }"),
    ("if let Some(v) = o { f(v) } else { g() }", "match o { Some(v) => f(v), Some(1) => g(), None => h() }"),
    ("S { a: b, b }", "S { a, b }"),
    ('println!("{} {}", x, a); 1', 'println!("{a} {x}"); 1'),
    ('println!("{} {:?}", x, a); 1', 'println!("{x} {a}"); 1'),
    ("for q in s.iter() { f(q); } 1", "for q in s { f(q); } 1"),
    ("s.iter().map(|q| f(q, 1)).count()", "s.iter().map(f).count()"),
    ("s.iter().map(|q| a(q)).count()", "s.iter().map(b).count()"),
    ("loop { if a { return 1; } f(1); }", "while !a { f(1); } 1"),
    ("if s.len() == 1 { 1 } else { 2 }", "if s.is_empty() { 1 } else { 2 }"),
    ("match o { A => 1, B => 2 }", "match o { B => 1, A => 2 }"),
    ("if x < 1 { 1 } else { 2 }", "if x >= 1 { 2 } else { 1 }"),
]

GO_PACKAGES = ("errors", "fmt", "io/ioutil", "os", "sort", "strings", "time")
PROGRAMS = {
    "go": (
        "a.go",
        "package p\nfunc run(a bool, x, y int, s, t []int, m map[string]int, k string, c chan int) {{\n{}\n}}\n",
    ),
    "packages": (
        "a.go",
        "package p\nimport (\n" + "".join(f'"{name}"\n' for name in GO_PACKAGES) + ")\nfunc run() {{\n{}\n}}\n",
    ),
    "java": ("A.java", "class A {{\nint v, w;\npublic Object run(boolean a, int x, int y, List s) {{\n{}\n}}\n}}\n"),
    "rust": ("a.rs", "pub fn run(a: bool, mut x: i32, s: Vec<i32>, o: Option<i32>) -> i32 {{\n{}\n}}\n"),
    "unit": ("a.rs", "pub fn run(a: bool, mut x: i32, s: Vec<i32>, o: Option<i32>) {{\n{}\n}}\n"),
}
SAME = [
    pytest.param(program, before, after, id=f"{program}: {before}  =  {after}")
    for program, pairs in (
        ("go", GO_SAME),
        ("packages", GO_PACKAGES_SAME),
        ("java", JAVA_SAME),
        ("rust", RUST_SAME),
        ("unit", RUST_UNIT_SAME),
    )
    for before, after in pairs
]
DIFFERENT = [
    pytest.param(program, before, after, id=f"{program}: {before}  /  {after}")
    for program, pairs in (
        ("go", GO_DIFFERENT),
        ("packages", GO_PACKAGES_DIFFERENT),
        ("java", JAVA_DIFFERENT),
        ("rust", RUST_DIFFERENT),
    )
    for before, after in pairs
]


@pytest.mark.parametrize(("program", "before", "after"), SAME)
def test_statements_that_say_the_same(program, before, after):
    path, text = PROGRAMS[program]

    there, back = (
        judged(text.format(before), text.format(after), path),
        judged(text.format(after), text.format(before), path),
    )

    assert "evolution" not in (there.label, back.label), there


@pytest.mark.parametrize(("program", "before", "after"), DIFFERENT)
def test_statements_that_only_look_like_it(program, before, after):
    path, text = PROGRAMS[program]

    assert judged(text.format(before), text.format(after), path).label == "evolution"
