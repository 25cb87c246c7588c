"""Kernels in Python that need no packages. One of them is right, and the others misbehave."""


class Gaussian:
    """A tiny separable Gaussian in plain Python, for gray8 with clamped edges."""

    NAME = "python-gaussian"
    FORMATS = ["gray8"]
    EDGES = ["clamp"]
    PROMISE = ("exact", 1, 1e-3)

    @staticmethod
    def blur(source, destination, request):
        from math import ceil, exp

        def weights(sigma):
            radius = ceil(5 * sigma)
            samples = [exp(-((i / sigma) ** 2) / 2) if i else 1.0 for i in range(-radius, radius + 1)]
            return [s / sum(samples) for s in samples]

        def clamp(i, count):
            return min(max(i, 0), count - 1)

        height, width = source.shape
        down, across = weights(request.sigma_y), weights(request.sigma_x)
        rows = [
            [
                sum(w * source[clamp(y + k - len(down) // 2, height), x] for k, w in enumerate(down))
                for x in range(width)
            ]
            for y in range(height)
        ]
        for y in range(height):
            for x in range(width):
                value = sum(w * rows[y][clamp(x + k - len(across) // 2, width)] for k, w in enumerate(across))
                destination[y, x] = int(value + 0.5)


class Raises:
    """Raises an exception."""

    NAME = "python-raises"

    @staticmethod
    def blur(source, destination, request):
        raise ValueError("not today")


class Refuses:
    """Refuses to plan."""

    NAME = "python-refuses"

    @staticmethod
    def plan(request):
        raise NotImplementedError("pictures")


KERNELS = [Gaussian, Raises, Refuses]
