"""60 frames in a window of pygame's, and the last picture's hash."""
import ctypes
import hashlib
import os

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
import pygame

COLOUR, RGBA, BYTES = 0x4000, 0x1908, 0x1401
pygame.display.init()
pygame.display.set_mode((320, 240), pygame.OPENGL | pygame.DOUBLEBUF)
gl = ctypes.CDLL("libGL.so.1")
gl.glClearColor.argtypes = [ctypes.c_float] * 4
for i in range(60):
    gl.glClearColor(i / 60, 0.5, 1 - i / 60, 1)
    gl.glClear(COLOUR)
    pixels = ctypes.create_string_buffer(320 * 240 * 4)
    gl.glReadPixels(0, 0, 320, 240, RGBA, BYTES, pixels)
    pygame.display.flip()
print(hashlib.md5(pixels.raw).hexdigest())
