"""A window of Qt's with an OpenGL widget and a button below it: 60 paints, and the picture's hash. Usage: widgets.py 5|6"""
import ctypes
import hashlib
import sys

if sys.argv[1] == "5":
    from PyQt5.QtGui import QImage
    from PyQt5.QtWidgets import QApplication, QOpenGLWidget, QPushButton, QVBoxLayout, QWidget
    RGBA = QImage.Format_RGBA8888
else:
    from PyQt6.QtGui import QImage
    from PyQt6.QtOpenGLWidgets import QOpenGLWidget
    from PyQt6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
    RGBA = QImage.Format.Format_RGBA8888
FRAMES = 60
COLOUR = 0x4000
gl = ctypes.CDLL("libGL.so.1")
gl.glClearColor.argtypes = [ctypes.c_float] * 4


class Scene(QOpenGLWidget):
    painted = 0

    def paintGL(self):
        self.painted += 1
        gl.glClearColor(self.painted / FRAMES, 0.5, 1 - self.painted / FRAMES, 1)
        gl.glClear(COLOUR)
        if self.painted < FRAMES:
            self.update()
        elif self.painted == FRAMES:
            self.frameSwapped.connect(self.tell)

    def tell(self):
        self.frameSwapped.disconnect(self.tell)
        image = self.grabFramebuffer().convertToFormat(RGBA)
        bits = image.constBits()
        bits.setsize(image.bytesPerLine() * image.height())
        print(FRAMES, "paints, picture", hashlib.md5(bytes(bits)).hexdigest())
        QApplication.quit()


app = QApplication(sys.argv)
window = QWidget()
scene = Scene()
scene.setFixedSize(320, 200)
layout = QVBoxLayout(window)
layout.addWidget(scene)
layout.addWidget(QPushButton("a button"))
window.show()
sys.exit(app.exec())
