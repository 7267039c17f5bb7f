"""Reading members of requests: what is missing or wrong is told with its name, its value and what would be right."""

from addresses import address_bytes, mac_bytes


def member(request, name, kind, what):
    value = request.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError("%s: expected %s, got %r" % (name, what, value))
    return value


def text(request, name):
    return member(request, name, str, "a text")


def whole(request, name, least, most, default=None):
    """A whole number; `default`, where there is one, stands for a member that is absent or null."""
    if default is not None and request.get(name) is None:
        return default
    what = "a whole number from %d to %d" % (least, most)
    value = member(request, name, int, what)
    if not least <= value <= most:
        raise ValueError("%s: expected %s, got %d" % (name, what, value))
    return value


def optional(request, name, read, *arguments):
    return None if request.get(name) is None else read(request, name, *arguments)


def address(request, name):
    try:
        return address_bytes(text(request, name))
    except ValueError as error:
        raise ValueError("%s: %s" % (name, error)) from error


def mac(request, name):
    try:
        return mac_bytes(text(request, name))
    except ValueError as error:
        raise ValueError("%s: %s" % (name, error)) from error


def numbers(request, name, most_members, limit):
    """A list of one or more different whole numbers in [0, limit)."""
    values = member(request, name, list, "a list of numbers")
    if not 1 <= len(values) <= most_members:
        raise ValueError("%s: expected 1 to %d numbers, got %d" % (name, most_members, len(values)))
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < limit:
            raise ValueError("%s: expected whole numbers below %d, got %r" % (name, limit, value))
    if len(set(values)) != len(values):
        raise ValueError("%s: a number stands there twice" % name)
    return values
