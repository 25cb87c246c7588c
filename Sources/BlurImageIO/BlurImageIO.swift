import Blur
