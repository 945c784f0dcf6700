/* SPIR-V of the test programs, as spirv-as makes it of the text above each. */
#ifndef TESTS_VK_SHADERS_H
#define TESTS_VK_SHADERS_H

#include <stdint.h>

/*
 * OpCapability Shader
 * OpMemoryModel Logical GLSL450
 * OpEntryPoint Vertex %main "main" %index %position
 * OpDecorate %index BuiltIn VertexIndex
 * OpDecorate %position BuiltIn Position
 * %void = OpTypeVoid
 * %fn = OpTypeFunction %void
 * %int = OpTypeInt 32 1
 * %float = OpTypeFloat 32
 * %vec4 = OpTypeVector %float 4
 * %pint = OpTypePointer Input %int
 * %pvec = OpTypePointer Output %vec4
 * %index = OpVariable %pint Input
 * %position = OpVariable %pvec Output
 * %i1 = OpConstant %int 1
 * %i2 = OpConstant %int 2
 * %i3 = OpConstant %int 3
 * %f0 = OpConstant %float 0
 * %f1 = OpConstant %float 1
 * %f2 = OpConstant %float 2
 * %main = OpFunction %void None %fn
 * %start = OpLabel
 * %i = OpLoad %int %index
 * %j = OpSMod %int %i %i3
 * %twice = OpShiftLeftLogical %int %j %i1
 * %xi = OpBitwiseAnd %int %twice %i2
 * %yi = OpBitwiseAnd %int %j %i2
 * %xf = OpConvertSToF %float %xi
 * %yf = OpConvertSToF %float %yi
 * %x2 = OpFMul %float %xf %f2
 * %y2 = OpFMul %float %yf %f2
 * %x = OpFSub %float %x2 %f1
 * %y = OpFSub %float %y2 %f1
 * %p = OpCompositeConstruct %vec4 %x %y %f0 %f1
 * OpStore %position %p
 * OpReturn
 * OpFunctionEnd
 */
static const uint32_t vertex_words[] = {
    0x07230203, 0x00010300, 0x00070000, 0x0000001e, 0x00000000, 0x00020011, 0x00000001, 0x0003000e,
    0x00000000, 0x00000001, 0x0007000f, 0x00000000, 0x00000001, 0x6e69616d, 0x00000000, 0x00000002,
    0x00000003, 0x00040047, 0x00000002, 0x0000000b, 0x0000002a, 0x00040047, 0x00000003, 0x0000000b,
    0x00000000, 0x00020013, 0x00000004, 0x00030021, 0x00000005, 0x00000004, 0x00040015, 0x00000006,
    0x00000020, 0x00000001, 0x00030016, 0x00000007, 0x00000020, 0x00040017, 0x00000008, 0x00000007,
    0x00000004, 0x00040020, 0x00000009, 0x00000001, 0x00000006, 0x00040020, 0x0000000a, 0x00000003,
    0x00000008, 0x0004003b, 0x00000009, 0x00000002, 0x00000001, 0x0004003b, 0x0000000a, 0x00000003,
    0x00000003, 0x0004002b, 0x00000006, 0x0000000b, 0x00000001, 0x0004002b, 0x00000006, 0x0000000c,
    0x00000002, 0x0004002b, 0x00000006, 0x0000000d, 0x00000003, 0x0004002b, 0x00000007, 0x0000000e,
    0x00000000, 0x0004002b, 0x00000007, 0x0000000f, 0x3f800000, 0x0004002b, 0x00000007, 0x00000010,
    0x40000000, 0x00050036, 0x00000004, 0x00000001, 0x00000000, 0x00000005, 0x000200f8, 0x00000011,
    0x0004003d, 0x00000006, 0x00000012, 0x00000002, 0x0005008b, 0x00000006, 0x00000013, 0x00000012,
    0x0000000d, 0x000500c4, 0x00000006, 0x00000014, 0x00000013, 0x0000000b, 0x000500c7, 0x00000006,
    0x00000015, 0x00000014, 0x0000000c, 0x000500c7, 0x00000006, 0x00000016, 0x00000013, 0x0000000c,
    0x0004006f, 0x00000007, 0x00000017, 0x00000015, 0x0004006f, 0x00000007, 0x00000018, 0x00000016,
    0x00050085, 0x00000007, 0x00000019, 0x00000017, 0x00000010, 0x00050085, 0x00000007, 0x0000001a,
    0x00000018, 0x00000010, 0x00050083, 0x00000007, 0x0000001b, 0x00000019, 0x0000000f, 0x00050083,
    0x00000007, 0x0000001c, 0x0000001a, 0x0000000f, 0x00070050, 0x00000008, 0x0000001d, 0x0000001b,
    0x0000001c, 0x0000000e, 0x0000000f, 0x0003003e, 0x00000003, 0x0000001d, 0x000100fd, 0x00010038};

/*
 * OpCapability Shader
 * OpCapability TransformFeedback
 * OpMemoryModel Logical GLSL450
 * OpEntryPoint Vertex %main "main" %index %position
 * OpExecutionMode %main Xfb
 * OpDecorate %index BuiltIn VertexIndex
 * OpDecorate %position BuiltIn Position
 * OpDecorate %position Offset 0
 * OpDecorate %position XfbBuffer 0
 * OpDecorate %position XfbStride 16
 * %void = OpTypeVoid
 * %fn = OpTypeFunction %void
 * %int = OpTypeInt 32 1
 * %float = OpTypeFloat 32
 * %vec4 = OpTypeVector %float 4
 * %pint = OpTypePointer Input %int
 * %pvec = OpTypePointer Output %vec4
 * %index = OpVariable %pint Input
 * %position = OpVariable %pvec Output
 * %i1 = OpConstant %int 1
 * %i2 = OpConstant %int 2
 * %i3 = OpConstant %int 3
 * %f0 = OpConstant %float 0
 * %f1 = OpConstant %float 1
 * %f2 = OpConstant %float 2
 * %main = OpFunction %void None %fn
 * %start = OpLabel
 * %i = OpLoad %int %index
 * %j = OpSMod %int %i %i3
 * %twice = OpShiftLeftLogical %int %j %i1
 * %xi = OpBitwiseAnd %int %twice %i2
 * %yi = OpBitwiseAnd %int %j %i2
 * %xf = OpConvertSToF %float %xi
 * %yf = OpConvertSToF %float %yi
 * %x2 = OpFMul %float %xf %f2
 * %y2 = OpFMul %float %yf %f2
 * %x = OpFSub %float %x2 %f1
 * %y = OpFSub %float %y2 %f1
 * %p = OpCompositeConstruct %vec4 %x %y %f0 %f1
 * OpStore %position %p
 * OpReturn
 * OpFunctionEnd
 */
static const uint32_t feedback_words[] = {
    0x07230203, 0x00010300, 0x00070000, 0x0000001e, 0x00000000, 0x00020011, 0x00000001, 0x00020011,
    0x00000035, 0x0003000e, 0x00000000, 0x00000001, 0x0007000f, 0x00000000, 0x00000001, 0x6e69616d,
    0x00000000, 0x00000002, 0x00000003, 0x00030010, 0x00000001, 0x0000000b, 0x00040047, 0x00000002,
    0x0000000b, 0x0000002a, 0x00040047, 0x00000003, 0x0000000b, 0x00000000, 0x00040047, 0x00000003,
    0x00000023, 0x00000000, 0x00040047, 0x00000003, 0x00000024, 0x00000000, 0x00040047, 0x00000003,
    0x00000025, 0x00000010, 0x00020013, 0x00000004, 0x00030021, 0x00000005, 0x00000004, 0x00040015,
    0x00000006, 0x00000020, 0x00000001, 0x00030016, 0x00000007, 0x00000020, 0x00040017, 0x00000008,
    0x00000007, 0x00000004, 0x00040020, 0x00000009, 0x00000001, 0x00000006, 0x00040020, 0x0000000a,
    0x00000003, 0x00000008, 0x0004003b, 0x00000009, 0x00000002, 0x00000001, 0x0004003b, 0x0000000a,
    0x00000003, 0x00000003, 0x0004002b, 0x00000006, 0x0000000b, 0x00000001, 0x0004002b, 0x00000006,
    0x0000000c, 0x00000002, 0x0004002b, 0x00000006, 0x0000000d, 0x00000003, 0x0004002b, 0x00000007,
    0x0000000e, 0x00000000, 0x0004002b, 0x00000007, 0x0000000f, 0x3f800000, 0x0004002b, 0x00000007,
    0x00000010, 0x40000000, 0x00050036, 0x00000004, 0x00000001, 0x00000000, 0x00000005, 0x000200f8,
    0x00000011, 0x0004003d, 0x00000006, 0x00000012, 0x00000002, 0x0005008b, 0x00000006, 0x00000013,
    0x00000012, 0x0000000d, 0x000500c4, 0x00000006, 0x00000014, 0x00000013, 0x0000000b, 0x000500c7,
    0x00000006, 0x00000015, 0x00000014, 0x0000000c, 0x000500c7, 0x00000006, 0x00000016, 0x00000013,
    0x0000000c, 0x0004006f, 0x00000007, 0x00000017, 0x00000015, 0x0004006f, 0x00000007, 0x00000018,
    0x00000016, 0x00050085, 0x00000007, 0x00000019, 0x00000017, 0x00000010, 0x00050085, 0x00000007,
    0x0000001a, 0x00000018, 0x00000010, 0x00050083, 0x00000007, 0x0000001b, 0x00000019, 0x0000000f,
    0x00050083, 0x00000007, 0x0000001c, 0x0000001a, 0x0000000f, 0x00070050, 0x00000008, 0x0000001d,
    0x0000001b, 0x0000001c, 0x0000000e, 0x0000000f, 0x0003003e, 0x00000003, 0x0000001d, 0x000100fd,
    0x00010038};

/*
 * OpCapability Shader
 * OpMemoryModel Logical GLSL450
 * OpEntryPoint Fragment %main "main" %color
 * OpExecutionMode %main OriginUpperLeft
 * OpDecorate %color Location 0
 * %void = OpTypeVoid
 * %fn = OpTypeFunction %void
 * %float = OpTypeFloat 32
 * %vec4 = OpTypeVector %float 4
 * %pvec = OpTypePointer Output %vec4
 * %color = OpVariable %pvec Output
 * %f1 = OpConstant %float 1
 * %c = OpConstantComposite %vec4 %f1 %f1 %f1 %f1
 * %main = OpFunction %void None %fn
 * %start = OpLabel
 * OpStore %color %c
 * OpReturn
 * OpFunctionEnd
 */
static const uint32_t fragment_words[] = {
    0x07230203, 0x00010300, 0x00070000, 0x0000000b, 0x00000000, 0x00020011, 0x00000001, 0x0003000e,
    0x00000000, 0x00000001, 0x0006000f, 0x00000004, 0x00000001, 0x6e69616d, 0x00000000, 0x00000002,
    0x00030010, 0x00000001, 0x00000007, 0x00040047, 0x00000002, 0x0000001e, 0x00000000, 0x00020013,
    0x00000003, 0x00030021, 0x00000004, 0x00000003, 0x00030016, 0x00000005, 0x00000020, 0x00040017,
    0x00000006, 0x00000005, 0x00000004, 0x00040020, 0x00000007, 0x00000003, 0x00000006, 0x0004003b,
    0x00000007, 0x00000002, 0x00000003, 0x0004002b, 0x00000005, 0x00000008, 0x3f800000, 0x0007002c,
    0x00000006, 0x00000009, 0x00000008, 0x00000008, 0x00000008, 0x00000008, 0x00050036, 0x00000003,
    0x00000001, 0x00000000, 0x00000004, 0x000200f8, 0x0000000a, 0x0003003e, 0x00000002, 0x00000009,
    0x000100fd, 0x00010038};

/*
 * OpCapability Geometry
 * OpCapability TransformFeedback
 * OpCapability GeometryStreams
 * OpMemoryModel Logical GLSL450
 * OpEntryPoint Geometry %main "main" %first %second
 * OpExecutionMode %main Triangles
 * OpExecutionMode %main Invocations 1
 * OpExecutionMode %main OutputPoints
 * OpExecutionMode %main OutputVertices 3
 * OpExecutionMode %main Xfb
 * OpDecorate %first Location 0
 * OpDecorate %first Stream 0
 * OpDecorate %first XfbBuffer 0
 * OpDecorate %first XfbStride 16
 * OpDecorate %first Offset 0
 * OpDecorate %second Location 1
 * OpDecorate %second Stream 1
 * OpDecorate %second XfbBuffer 1
 * OpDecorate %second XfbStride 16
 * OpDecorate %second Offset 0
 * %void = OpTypeVoid
 * %fn = OpTypeFunction %void
 * %int = OpTypeInt 32 1
 * %float = OpTypeFloat 32
 * %vec4 = OpTypeVector %float 4
 * %pvec = OpTypePointer Output %vec4
 * %first = OpVariable %pvec Output
 * %second = OpVariable %pvec Output
 * %s0 = OpConstant %int 0
 * %s1 = OpConstant %int 1
 * %f1 = OpConstant %float 1
 * %c = OpConstantComposite %vec4 %f1 %f1 %f1 %f1
 * %main = OpFunction %void None %fn
 * %start = OpLabel
 * OpStore %first %c
 * OpEmitStreamVertex %s0
 * OpEndStreamPrimitive %s0
 * OpStore %second %c
 * OpEmitStreamVertex %s1
 * OpEndStreamPrimitive %s1
 * OpStore %second %c
 * OpEmitStreamVertex %s1
 * OpEndStreamPrimitive %s1
 * OpReturn
 * OpFunctionEnd
 */
static const uint32_t streams_words[] = {
    0x07230203, 0x00010000, 0x00070000, 0x0000000f, 0x00000000, 0x00020011, 0x00000002, 0x00020011,
    0x00000035, 0x00020011, 0x00000036, 0x0003000e, 0x00000000, 0x00000001, 0x0007000f, 0x00000003,
    0x00000001, 0x6e69616d, 0x00000000, 0x00000002, 0x00000003, 0x00030010, 0x00000001, 0x00000016,
    0x00040010, 0x00000001, 0x00000000, 0x00000001, 0x00030010, 0x00000001, 0x0000001b, 0x00040010,
    0x00000001, 0x0000001a, 0x00000003, 0x00030010, 0x00000001, 0x0000000b, 0x00040047, 0x00000002,
    0x0000001e, 0x00000000, 0x00040047, 0x00000002, 0x0000001d, 0x00000000, 0x00040047, 0x00000002,
    0x00000024, 0x00000000, 0x00040047, 0x00000002, 0x00000025, 0x00000010, 0x00040047, 0x00000002,
    0x00000023, 0x00000000, 0x00040047, 0x00000003, 0x0000001e, 0x00000001, 0x00040047, 0x00000003,
    0x0000001d, 0x00000001, 0x00040047, 0x00000003, 0x00000024, 0x00000001, 0x00040047, 0x00000003,
    0x00000025, 0x00000010, 0x00040047, 0x00000003, 0x00000023, 0x00000000, 0x00020013, 0x00000004,
    0x00030021, 0x00000005, 0x00000004, 0x00040015, 0x00000006, 0x00000020, 0x00000001, 0x00030016,
    0x00000007, 0x00000020, 0x00040017, 0x00000008, 0x00000007, 0x00000004, 0x00040020, 0x00000009,
    0x00000003, 0x00000008, 0x0004003b, 0x00000009, 0x00000002, 0x00000003, 0x0004003b, 0x00000009,
    0x00000003, 0x00000003, 0x0004002b, 0x00000006, 0x0000000a, 0x00000000, 0x0004002b, 0x00000006,
    0x0000000b, 0x00000001, 0x0004002b, 0x00000007, 0x0000000c, 0x3f800000, 0x0007002c, 0x00000008,
    0x0000000d, 0x0000000c, 0x0000000c, 0x0000000c, 0x0000000c, 0x00050036, 0x00000004, 0x00000001,
    0x00000000, 0x00000005, 0x000200f8, 0x0000000e, 0x0003003e, 0x00000002, 0x0000000d, 0x000200dc,
    0x0000000a, 0x000200dd, 0x0000000a, 0x0003003e, 0x00000003, 0x0000000d, 0x000200dc, 0x0000000b,
    0x000200dd, 0x0000000b, 0x0003003e, 0x00000003, 0x0000000d, 0x000200dc, 0x0000000b, 0x000200dd,
    0x0000000b, 0x000100fd, 0x00010038};

/*
 * OpCapability Shader
 * OpMemoryModel Logical GLSL450
 * OpEntryPoint GLCompute %main "main"
 * OpExecutionMode %main LocalSize 8 1 1
 * %void = OpTypeVoid
 * %fn = OpTypeFunction %void
 * %main = OpFunction %void None %fn
 * %start = OpLabel
 * OpReturn
 * OpFunctionEnd
 */
static const uint32_t compute_words[] = {
    0x07230203, 0x00010300, 0x00070000, 0x00000005, 0x00000000, 0x00020011, 0x00000001,
    0x0003000e, 0x00000000, 0x00000001, 0x0005000f, 0x00000005, 0x00000001, 0x6e69616d,
    0x00000000, 0x00060010, 0x00000001, 0x00000011, 0x00000008, 0x00000001, 0x00000001,
    0x00020013, 0x00000002, 0x00030021, 0x00000003, 0x00000002, 0x00050036, 0x00000002,
    0x00000001, 0x00000000, 0x00000003, 0x000200f8, 0x00000004, 0x000100fd, 0x00010038};

#endif
