"""Real Vulkan programs from Debian, plain and under `sextant stat -d vulkan`: the same exit status, words, pictures and
frames. Usage: programs.py [--short] [NAME...], as for OpenGL; what is not installed is skipped and told."""
import glob
import os
import shutil
import subprocess
import sys

GL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gl")
sys.path.insert(0, GL)
import programs as gl  # noqa: E402

QML = """
import QtQuick
Window {
    width: 320; height: 240; visible: true; color: "steelblue"
    Rectangle { width: 100; height: 100; color: "orange"; x: 40; y: 50; radius: 20; rotation: 30 }
    property int frames: 0
    onFrameSwapped: {
        frames++
        if (frames < 30) update()
        else if (frames == 30) contentItem.grabToImage(function(g) { g.saveToFile("PICTURE"); Qt.quit() })
    }
}
"""


def program(name, *command, **how):
    return gl.Program(name, *command, device="vulkan", **how)


def software_device():
    """The name that mpv wants, or it takes no software driver."""
    done = subprocess.run(["vulkaninfo", "--summary"], capture_output=True, text=True, check=False)
    names = [line.split("=", 1)[1].strip() for line in done.stdout.splitlines() if "deviceName" in line]
    return names[0] if names else ""


def record_cube(folder, env):
    """A trace of vkcube by gfxreconstruct, or a path that does not exist."""
    trace = os.path.join(folder, "cube.gfxr")
    subprocess.run(["vkcube", "--c", "30", "--suppress_popups"], capture_output=True, check=False,
                   env=dict(env, VK_INSTANCE_LAYERS="VK_LAYER_LUNARG_gfxreconstruct", GFXRECON_CAPTURE_FILE=trace))
    found = glob.glob(os.path.join(folder, "cube*.gfxr"))
    return found[0] if found else trace


def vulkan(folder, env, short):
    picture, raw = os.path.join(folder, "qt.png"), os.path.join(folder, "frames.raw")
    scene = os.path.join(folder, "scene.qml")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(QML.replace("PICTURE", picture))
    ddnet = os.path.join(folder, ".local", "share", "ddnet")
    os.makedirs(ddnet)
    with open(os.path.join(ddnet, "settings_ddnet.cfg"), "w", encoding="utf-8") as file:
        file.write("gfx_backend Vulkan\ngfx_fullscreen 0\nsnd_enable 0\ncl_show_welcome 0\n")
    zink = {"GALLIUM_DRIVER": "zink", "LIBGL_ALWAYS_SOFTWARE": "1"}
    found = [
        program("vkcube", "vkcube", "--c", "60", "--suppress_popups", frames=60, short=True),
        program("gstreamer, a file", "gst-launch-1.0", "-q", "videotestsrc", "num-buffers=20", "!",
                "video/x-raw,width=160,height=120", "!", "vulkanupload", "!", "vulkancolorconvert", "!",
                "vulkandownload", "!", "filesink", "location=" + raw, pictures=[raw], env={"DISPLAY": ""}, short=True),
        program("gstreamer, vulkansink", "gst-launch-1.0", "-q", "videotestsrc", "num-buffers=40", "!", "vulkanupload",
                "!", "vulkancolorconvert", "!", "vulkansink", frames=40, tries=4,
                env={"GST_VULKAN_WINDOW": "xcb", "GST_VULKAN_DISPLAY": "xcb"}),
        program("qt6 quick", "/usr/lib/qt6/bin/qml", scene, pictures=[picture], env={"QSG_RHI_BACKEND": "vulkan"},
                short=True),
        program("mpv", "mpv", "--no-config", "--vo=gpu", "--gpu-api=vulkan", "--gpu-context=x11vk",
                "--vulkan-device=" + software_device(), "--frames=40", "--untimed", "--framedrop=no",
                "--no-audio", "--really-quiet", "av://lavfi:testsrc=size=320x240:rate=30", frames=40),
        program("vkd3d triangle", "vkd3d-triangle", ends=3, words=False),
        program("vkd3d gears", "vkd3d-gears", ends=3, words=False),
        # Debian's has no Vulkan shaders: it makes a device, then draws with OpenGL.
        program("ddnet", "/usr/games/DDNet", ends=6, signal="KILL", words=False, samples=False,
                env={"HOME": folder, "SDL_VIDEODRIVER": "x11", "SDL_AUDIODRIVER": "dummy"}),
        program("cpu-x", "cpu-x", "--dump", samples=False, words=False),
        program("vulkaninfo", "vulkaninfo", "--summary", samples=False, words=False, short=True),
        program("zink glmark2", "glmark2", "-s", "320x240", "--validate", "-b", "build", "-b", "texture", env=zink),
        program("zink moderngl", "/usr/bin/python3", os.path.join(gl.GUESTS, "triangle.py"), env=zink),
        program("zink glxgears", "glxgears", ends=2, words=False, env=zink),
    ]
    if not short and shutil.which("gfxrecon-replay"):
        shots = [os.path.join(folder, f"screenshot_frame_{n}.bmp") for n in (5, 20)]
        found.append(program("gfxrecon-replay", "gfxrecon-replay", "--wsi", "xcb", "--screenshots", "5,20",
                             "--screenshot-dir", folder, record_cube(folder, env),
                             frames=30, pictures=shots, words=False))
    return found


if __name__ == "__main__":
    sys.exit(gl.main(vulkan))
