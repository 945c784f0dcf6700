"""A script of Blender's: a small picture by the renderer that draws with OpenGL, without a window, and its hash."""
import hashlib
import os
import sys

import bpy

scene = bpy.context.scene
scene.render.engine = "BLENDER_WORKBENCH"  # whose name is the same in every release
scene.render.resolution_x, scene.render.resolution_y = 160, 120
scene.render.filepath = os.path.join(sys.argv[-1], "render.png")
bpy.ops.render.render(write_still=True)
image = bpy.data.images.load(scene.render.filepath)  # pixels alone: the file has its date, too
print("picture", hashlib.md5(bytes(int(255 * value) for value in image.pixels[:])).hexdigest())
