/*
 * The texts of struct sx_device_facts, by their members. A kept one is a property of the device in
 * a capture and a member in JSON, each by the name that it has here; the others have a place of
 * their own there.
 */
#ifndef BASE_DEVICE_TEXTS_H
#define BASE_DEVICE_TEXTS_H

#define DEVICE_TEXTS_KEPT(TEXT) TEXT(set)
#define DEVICE_TEXTS(TEXT)                                                                         \
	TEXT(name) TEXT(driver) TEXT(source) TEXT(variant) TEXT(clock) DEVICE_TEXTS_KEPT(TEXT)

#endif
