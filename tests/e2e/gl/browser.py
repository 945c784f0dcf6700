"""A page that draws with WebGL, in a browser: served from here, it draws 60 frames, reads its picture back and tells
what it got, which is printed. Usage: browser.py chromium|firefox"""
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading

PAGE = b"""<!DOCTYPE html><title>WebGL</title><canvas width=320 height=240></canvas><script>
const canvas = document.querySelector('canvas'), gl = canvas.getContext('webgl', {preserveDrawingBuffer: true});
const tell = text => fetch('/told?' + encodeURIComponent(text));
function shader(kind, text) { const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); return s; }
function frame(n) {
  gl.clearColor(n / 60, 0.5, 1 - n / 60, 1); gl.clear(gl.COLOR_BUFFER_BIT); gl.drawArrays(gl.TRIANGLES, 0, 3);
  if (n < 60) return requestAnimationFrame(() => frame(n + 1));
  const pixels = new Uint8Array(320 * 240 * 4);
  gl.readPixels(0, 0, 320, 240, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  tell(`${n} frames, error ${gl.getError()}, picture ${pixels.reduce((sum, b) => (sum * 31 + b) % 1000003, 7)}`);
}
if (!gl) tell('no WebGL'); else {
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER, 'attribute vec2 v; void main() { gl_Position = vec4(v, 0, 1); }'));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER,
    'precision mediump float; void main() { gl_FragColor = vec4(gl_FragCoord.xy / 320.0, 0.9, 1); }'));
  gl.linkProgram(program); gl.useProgram(program);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 0.5, -1, -1, 0.5]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  frame(1);
}
</script>"""
FIREFOX = """user_pref("webgl.force-enabled", true);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.aboutwelcome.enabled", false);
"""
WAIT_S = 60


class Page(http.server.BaseHTTPRequestHandler):
    told = threading.Event()
    words = None

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        if self.path.startswith("/told?"):
            from urllib.parse import unquote
            Page.words = unquote(self.path[len("/told?"):])
            Page.told.set()
        elif self.path == "/":
            self.wfile.write(PAGE)

    def log_message(self, *unused):
        pass


def command(browser, profile):
    if browser == "chromium":
        return ["chromium", "--no-sandbox", "--disable-gpu-sandbox", "--user-data-dir=" + profile, "--no-first-run", "--ozone-platform=x11",
                "--use-gl=angle", "--use-angle=gl", "--ignore-gpu-blocklist", "--disable-background-networking"]
    with open(os.path.join(profile, "user.js"), "w", encoding="ascii") as file:
        file.write(FIREFOX)
    return ["firefox-esr", "--no-remote", "--profile", profile]


def main():
    server = http.server.HTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    profile = tempfile.mkdtemp()
    browser = subprocess.Popen([*command(sys.argv[1], profile), f"http://127.0.0.1:{server.server_port}/"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    Page.told.wait(WAIT_S)
    browser.terminate()
    try:
        browser.wait(10)
    except subprocess.TimeoutExpired:
        browser.kill()
        browser.wait()
    shutil.rmtree(profile, ignore_errors=True)
    print(Page.words or "the page told nothing")
    return Page.words is None


if __name__ == "__main__":
    sys.exit(main())
