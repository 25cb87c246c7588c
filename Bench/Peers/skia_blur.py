"""Skia's blur image filter on the CPU: a small Gaussian below sigma 2, then three boxes or tents.

Single thread. Skia draws directly from and to the caller's own pixels, without blending. Gray images use
Skia's alpha-only format.
"""

import numpy
import skia

NAME = "skia-blur"
SUMMARY = f"Skia m{skia.__version__}, ImageFilters.Blur on the CPU"
# Skia cannot draw to pixels of three components, so the rgb formats are missing. Its format 888x has a fourth
# component that it ignores.
FORMATS = ["gray8", "rgba8"]
MODES = {"clamp": skia.TileMode.kClamp, "reflect": skia.TileMode.kMirror, "wrap": skia.TileMode.kRepeat,
         "constant": skia.TileMode.kDecal}
EDGES = list(MODES)


def plan(request):
    if request.edge == "constant" and any(request.constant):
        raise NotImplementedError("a constant other than 0")
    kind = skia.kAlpha_8_ColorType if request.channels == 1 else skia.kRGBA_8888_ColorType
    info = skia.ImageInfo.Make(request.width, request.height, kind, skia.kPremul_AlphaType)
    paint = skia.Paint(BlendMode=skia.BlendMode.kSrc, ImageFilter=skia.ImageFilters.Blur(
        request.sigma_x, request.sigma_y, MODES[request.edge], None,
        skia.IRect.MakeWH(request.width, request.height)))

    def blur(source, destination):
        image = skia.Image.MakeFromRaster(skia.Pixmap(info, source, source.strides[0]))
        surface = skia.Surface.MakeRasterDirect(info, destination, destination.strides[0])
        surface.getCanvas().drawImage(image, 0, 0, skia.SamplingOptions(), paint)

    return blur
