"""Fields of a report, each of the type that doc/FORMATS.md says."""


LARGEST = 1 << 64  # no count and no time is larger


class Damaged(Exception):
    """The report has not the form in which perftool writes it."""


def field(row, name, *types):
    """The member `name` of the object. Numbers that perftool writes as digits in a
    string, because they are large, are numbers again. None as a type allows null."""
    if not isinstance(row, dict):
        raise Damaged("there is something else in the place of an object")
    if name not in row:
        raise Damaged("the field %s is missing" % name)
    value = row[name]
    if value is None and None in types:
        return None
    if int in types and isinstance(value, str) and str not in types and value.lstrip("-").isdigit():
        value = int(value[:40])
    if isinstance(value, bool) and bool not in types:
        raise Damaged("the field %s is true or false" % name)
    wanted = tuple(kind for kind in types if kind is not None)
    if float in wanted:
        wanted += (int,)
    if not isinstance(value, wanted):
        raise Damaged("the field %s has no such value" % name)
    if isinstance(value, (int, float)) and not -LARGEST <= value <= LARGEST:
        raise Damaged("the field %s is too large" % name)
    return value


def count_of(row, name):
    value = field(row, name, int)
    if value < 0:
        raise Damaged("the field %s is below 0" % name)
    return value


def time_of(row, name):
    """A time in ns, which may be unknown."""
    return field(row, name, float, None)
