extends SceneTree
var n = 0
func _init():
	var box = MeshInstance.new()
	box.mesh = CubeMesh.new()
	var camera = Camera.new()
	camera.translation = Vector3(0, 0, 5)
	root.add_child(box)
	root.add_child(camera)
func _idle(_delta):
	n += 1
	if n == 60:
		print(n, " frames, picture ", hash(root.get_texture().get_data().get_data()))
		quit()
	return false
