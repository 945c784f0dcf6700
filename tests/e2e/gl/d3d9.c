/*
 * A Direct3D 9 program, for Wine, which draws it by OpenGL: 60 frames, then what it read of its
 * picture. Built by programs.py where there is a compiler for Windows.
 */
#define COBJMACROS
#include <d3d9.h>
#include <stdio.h>

#define WIDTH  320
#define HEIGHT 240

struct vertex {
	float x, y, z, w;
	unsigned color;
};

static IDirect3DDevice9 *open_device(void)
{
	WNDCLASSA kind = {.lpfnWndProc = DefWindowProcA, .lpszClassName = "d3d9"};
	IDirect3DDevice9 *device = NULL;

	RegisterClassA(&kind);
	HWND window = CreateWindowA("d3d9", "d3d9", WS_OVERLAPPEDWINDOW | WS_VISIBLE, 0, 0, WIDTH,
				    HEIGHT, 0, 0, 0, 0);
	IDirect3D9 *d3d = Direct3DCreate9(D3D_SDK_VERSION);
	D3DPRESENT_PARAMETERS present = {.Windowed = TRUE,
					 .SwapEffect = D3DSWAPEFFECT_COPY,
					 .BackBufferWidth = WIDTH,
					 .BackBufferHeight = HEIGHT,
					 .BackBufferFormat = D3DFMT_X8R8G8B8,
					 .hDeviceWindow = window,
					 .PresentationInterval = D3DPRESENT_INTERVAL_IMMEDIATE};
	if (d3d)
		IDirect3D9_CreateDevice(d3d, 0, D3DDEVTYPE_HAL, window,
					D3DCREATE_HARDWARE_VERTEXPROCESSING, &present, &device);
	return device;
}

static void draw(IDirect3DDevice9 *device, int frame)
{
	static const struct vertex corners[3] = {
	    {0, 0, 0, 1, 0xff0000ff}, {WIDTH, 0, 0, 1, 0xff00ff00}, {0, HEIGHT, 0, 1, 0xffff0000}};

	IDirect3DDevice9_Clear(device, 0, NULL, D3DCLEAR_TARGET, 0xff000000u + (unsigned)frame * 4,
			       1, 0);
	IDirect3DDevice9_BeginScene(device);
	IDirect3DDevice9_SetFVF(device, D3DFVF_XYZRHW | D3DFVF_DIFFUSE);
	IDirect3DDevice9_DrawPrimitiveUP(device, D3DPT_TRIANGLELIST, 1, corners,
					 sizeof(corners[0]));
	IDirect3DDevice9_EndScene(device);
}

static unsigned picture(IDirect3DDevice9 *device)
{
	IDirect3DSurface9 *back, *copy;
	D3DLOCKED_RECT rect;
	unsigned sum = 7;

	IDirect3DDevice9_GetBackBuffer(device, 0, 0, D3DBACKBUFFER_TYPE_MONO, &back);
	IDirect3DDevice9_CreateOffscreenPlainSurface(device, WIDTH, HEIGHT, D3DFMT_X8R8G8B8,
						     D3DPOOL_SYSTEMMEM, &copy, NULL);
	IDirect3DDevice9_GetRenderTargetData(device, back, copy);
	IDirect3DSurface9_LockRect(copy, &rect, NULL, D3DLOCK_READONLY);
	for (int y = 0; y < HEIGHT; y++) {
		const unsigned char *line = (const unsigned char *)rect.pBits + y * rect.Pitch;

		for (int x = 0; x < WIDTH * 4; x++)
			sum = (sum * 31 + line[x]) % 1000003;
	}
	return sum;
}

int main(void)
{
	IDirect3DDevice9 *device = open_device();

	if (!device) {
		puts("no Direct3D 9 here");
		return 1;
	}
	for (int frame = 0; frame < 60; frame++) {
		draw(device, frame);
		if (frame == 59)
			printf("60 frames, picture %u\n", picture(device));
		IDirect3DDevice9_Present(device, NULL, NULL, NULL, NULL);
	}
	return 0;
}
