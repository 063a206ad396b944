def fine():
    return 1


class Half:
    def method(self):
        return (1,

    def other(self):
        return 2


def after(:
    pass
