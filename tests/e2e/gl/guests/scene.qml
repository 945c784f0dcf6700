// A square that turns 60 times and is then drawn to a file beside this one.
import QtQuick 2.0

Rectangle {
	width: 320; height: 240; color: "steelblue"
	property int turns: 0

	Rectangle {
		id: square
		x: 100; y: 60; width: 120; height: 120; radius: 12; color: "orange"
	}
	Timer {
		interval: 16; running: true; repeat: true
		onTriggered: {
			turns += 1
			square.rotation = turns * 6
			if (turns < 60)
				return
			running = false
			parent.grabToImage(function(result) {
				result.saveToFile(Qt.resolvedUrl("scene.png").toString().slice("file://".length))
				Qt.quit()
			})
		}
	}
}
