"""60 frames to a framebuffer of moderngl's, and the last picture's hash."""
import hashlib
import struct

import moderngl

VERTEX = "#version 330\nin vec2 v; void main() { gl_Position = vec4(v, 0, 1); }"
FRAGMENT = "#version 330\nout vec4 c; void main() { c = vec4(0.3, 0.6, 0.9, 1); }"
context = moderngl.create_standalone_context(backend="egl")
program = context.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)
corners = context.buffer(struct.pack("6f", -1, -1, 3, -1, -1, 3))
triangle = context.simple_vertex_array(program, corners, "v")
target = context.simple_framebuffer((256, 256))
target.use()
for _ in range(60):
    target.clear()
    triangle.render()
    picture = target.read()
print(hashlib.md5(picture).hexdigest())
