"""Does nothing: its time is what the Python border costs per call."""


def plan(request):
    return lambda source, destination: None
