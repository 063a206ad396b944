#include <stdlib.h>
#include "list.h"

#define LIMIT 100
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))

/* A node of the list. */
struct node {
    int value;
    struct node *next, *previous;
};

typedef struct {
    int x, y;
} point_t;

typedef int (*compare_t)(const void *, const void *);

enum color { RED, GREEN = 2, BLUE };

union bits {
    int i;
    float f;
};

static int count = 0, limit;
const char *name = "two  words";
static int table[] = {1, 2, 3};

int length(const struct node *list);

// Counts the nodes.
int
length(const struct node *list)
{
    int n = 0;
    for (; list; list = list->next)
        n++;
    return n;
}

static struct node *push(struct node **list, int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    return *list = node;
}

int (*handler(int kind))(int) {
    return 0;
}

#ifdef DEBUG
void dump(void) { puts("debug"); }
#else
void dump(void) {}
#endif
