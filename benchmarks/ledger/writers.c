/* What a writer must at least do: for each event lock, add one line in one write, unlock, sync.

   writers FILE LINES COUNT: say "ready", wait for the end of stdin, then add the lines of LINES to FILE, COUNT in all,
   beginning again at the end. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static char *whole(const char *path, size_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &status) < 0)
        fail(path);
    *size = (size_t)status.st_size;
    char *content = malloc(*size);
    if (content == NULL || read(fd, content, *size) != (ssize_t)*size)
        fail(path);
    close(fd);
    return content;
}

int main(int argc, char **argv)
{
    size_t size, at = 0;
    if (argc != 4)
        return 2;
    const char *lines = whole(argv[2], &size);
    puts("ready");
    fflush(stdout);
    getchar();
    for (long left = atol(argv[3]); left > 0; left--) {
        size_t length = (size_t)((const char *)memchr(lines + at, '\n', size - at) - (lines + at)) + 1;
        int fd = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || flock(fd, LOCK_EX) < 0)
            fail(argv[1]);
        if (write(fd, lines + at, length) != (ssize_t)length)
            fail("write");
        if (flock(fd, LOCK_UN) < 0 || fdatasync(fd) < 0)
            fail("sync");
        close(fd);
        at = (at + length) % size;
    }
    return 0;
}
