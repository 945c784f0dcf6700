/* SPIR-V of mesh shaders, as `spirv-as --target-env vulkan1.3` makes it of the text above each. */
#ifndef TESTS_VK_SHADERS_MESH_H
#define TESTS_VK_SHADERS_MESH_H

#include <stdint.h>

/*
 * OpCapability MeshShadingEXT
 * OpExtension "SPV_EXT_mesh_shader"
 * OpMemoryModel Logical GLSL450
 * OpEntryPoint TaskEXT %main "main"
 * OpExecutionMode %main LocalSize 2 1 1
 * %void = OpTypeVoid
 * %fn = OpTypeFunction %void
 * %uint = OpTypeInt 32 0
 * %u1 = OpConstant %uint 1
 * %u3 = OpConstant %uint 3
 * %main = OpFunction %void None %fn
 * %start = OpLabel
 * OpEmitMeshTasksEXT %u3 %u1 %u1
 * OpFunctionEnd
 */
static const uint32_t task_words[] = {
    0x07230203, 0x00010600, 0x00070000, 0x00000008, 0x00000000, 0x00020011, 0x000014a3, 0x0006000a,
    0x5f565053, 0x5f545845, 0x6873656d, 0x6168735f, 0x00726564, 0x0003000e, 0x00000000, 0x00000001,
    0x0005000f, 0x000014f4, 0x00000001, 0x6e69616d, 0x00000000, 0x00060010, 0x00000001, 0x00000011,
    0x00000002, 0x00000001, 0x00000001, 0x00020013, 0x00000002, 0x00030021, 0x00000003, 0x00000002,
    0x00040015, 0x00000004, 0x00000020, 0x00000000, 0x0004002b, 0x00000004, 0x00000005, 0x00000001,
    0x0004002b, 0x00000004, 0x00000006, 0x00000003, 0x00050036, 0x00000002, 0x00000001, 0x00000000,
    0x00000003, 0x000200f8, 0x00000007, 0x000414ae, 0x00000006, 0x00000005, 0x00000005, 0x00010038};

/*
 * OpCapability MeshShadingEXT
 * OpExtension "SPV_EXT_mesh_shader"
 * OpMemoryModel Logical GLSL450
 * OpEntryPoint MeshEXT %main "main" %index %vertices %triangles
 * OpExecutionMode %main LocalSize 3 1 1
 * OpExecutionMode %main OutputVertices 3
 * OpExecutionMode %main OutputPrimitivesEXT 1
 * OpExecutionMode %main OutputTrianglesEXT
 * OpDecorate %index BuiltIn LocalInvocationIndex
 * OpMemberDecorate %vertex 0 BuiltIn Position
 * OpDecorate %vertex Block
 * OpDecorate %triangles BuiltIn PrimitiveTriangleIndicesEXT
 * %void = OpTypeVoid
 * %fn = OpTypeFunction %void
 * %uint = OpTypeInt 32 0
 * %int = OpTypeInt 32 1
 * %float = OpTypeFloat 32
 * %uvec3 = OpTypeVector %uint 3
 * %vec4 = OpTypeVector %float 4
 * %u0 = OpConstant %uint 0
 * %u1 = OpConstant %uint 1
 * %u2 = OpConstant %uint 2
 * %u3 = OpConstant %uint 3
 * %i0 = OpConstant %int 0
 * %vertex = OpTypeStruct %vec4
 * %all = OpTypeArray %vertex %u3
 * %each = OpTypeArray %uvec3 %u1
 * %pin = OpTypePointer Input %uint
 * %pall = OpTypePointer Output %all
 * %peach = OpTypePointer Output %each
 * %pvec = OpTypePointer Output %vec4
 * %ptri = OpTypePointer Output %uvec3
 * %index = OpVariable %pin Input
 * %vertices = OpVariable %pall Output
 * %triangles = OpVariable %peach Output
 * %f0 = OpConstant %float 0
 * %f1 = OpConstant %float 1
 * %f2 = OpConstant %float 2
 * %corners = OpConstantComposite %uvec3 %u0 %u1 %u2
 * %main = OpFunction %void None %fn
 * %start = OpLabel
 * OpSetMeshOutputsEXT %u3 %u1
 * %j = OpLoad %uint %index
 * %twice = OpShiftLeftLogical %uint %j %u1
 * %xi = OpBitwiseAnd %uint %twice %u2
 * %yi = OpBitwiseAnd %uint %j %u2
 * %xf = OpConvertUToF %float %xi
 * %yf = OpConvertUToF %float %yi
 * %x2 = OpFMul %float %xf %f2
 * %y2 = OpFMul %float %yf %f2
 * %x = OpFSub %float %x2 %f1
 * %y = OpFSub %float %y2 %f1
 * %p = OpCompositeConstruct %vec4 %x %y %f0 %f1
 * %at = OpAccessChain %pvec %vertices %j %i0
 * OpStore %at %p
 * %first = OpAccessChain %ptri %triangles %u0
 * OpStore %first %corners
 * OpReturn
 * OpFunctionEnd
 */
static const uint32_t mesh_words[] = {
    0x07230203, 0x00010600, 0x00070000, 0x0000002b, 0x00000000, 0x00020011, 0x000014a3, 0x0006000a,
    0x5f565053, 0x5f545845, 0x6873656d, 0x6168735f, 0x00726564, 0x0003000e, 0x00000000, 0x00000001,
    0x0008000f, 0x000014f5, 0x00000001, 0x6e69616d, 0x00000000, 0x00000002, 0x00000003, 0x00000004,
    0x00060010, 0x00000001, 0x00000011, 0x00000003, 0x00000001, 0x00000001, 0x00040010, 0x00000001,
    0x0000001a, 0x00000003, 0x00040010, 0x00000001, 0x00001496, 0x00000001, 0x00030010, 0x00000001,
    0x000014b2, 0x00040047, 0x00000002, 0x0000000b, 0x0000001d, 0x00050048, 0x00000005, 0x00000000,
    0x0000000b, 0x00000000, 0x00030047, 0x00000005, 0x00000002, 0x00040047, 0x00000004, 0x0000000b,
    0x000014b0, 0x00020013, 0x00000006, 0x00030021, 0x00000007, 0x00000006, 0x00040015, 0x00000008,
    0x00000020, 0x00000000, 0x00040015, 0x00000009, 0x00000020, 0x00000001, 0x00030016, 0x0000000a,
    0x00000020, 0x00040017, 0x0000000b, 0x00000008, 0x00000003, 0x00040017, 0x0000000c, 0x0000000a,
    0x00000004, 0x0004002b, 0x00000008, 0x0000000d, 0x00000000, 0x0004002b, 0x00000008, 0x0000000e,
    0x00000001, 0x0004002b, 0x00000008, 0x0000000f, 0x00000002, 0x0004002b, 0x00000008, 0x00000010,
    0x00000003, 0x0004002b, 0x00000009, 0x00000011, 0x00000000, 0x0003001e, 0x00000005, 0x0000000c,
    0x0004001c, 0x00000012, 0x00000005, 0x00000010, 0x0004001c, 0x00000013, 0x0000000b, 0x0000000e,
    0x00040020, 0x00000014, 0x00000001, 0x00000008, 0x00040020, 0x00000015, 0x00000003, 0x00000012,
    0x00040020, 0x00000016, 0x00000003, 0x00000013, 0x00040020, 0x00000017, 0x00000003, 0x0000000c,
    0x00040020, 0x00000018, 0x00000003, 0x0000000b, 0x0004003b, 0x00000014, 0x00000002, 0x00000001,
    0x0004003b, 0x00000015, 0x00000003, 0x00000003, 0x0004003b, 0x00000016, 0x00000004, 0x00000003,
    0x0004002b, 0x0000000a, 0x00000019, 0x00000000, 0x0004002b, 0x0000000a, 0x0000001a, 0x3f800000,
    0x0004002b, 0x0000000a, 0x0000001b, 0x40000000, 0x0006002c, 0x0000000b, 0x0000001c, 0x0000000d,
    0x0000000e, 0x0000000f, 0x00050036, 0x00000006, 0x00000001, 0x00000000, 0x00000007, 0x000200f8,
    0x0000001d, 0x000314af, 0x00000010, 0x0000000e, 0x0004003d, 0x00000008, 0x0000001e, 0x00000002,
    0x000500c4, 0x00000008, 0x0000001f, 0x0000001e, 0x0000000e, 0x000500c7, 0x00000008, 0x00000020,
    0x0000001f, 0x0000000f, 0x000500c7, 0x00000008, 0x00000021, 0x0000001e, 0x0000000f, 0x00040070,
    0x0000000a, 0x00000022, 0x00000020, 0x00040070, 0x0000000a, 0x00000023, 0x00000021, 0x00050085,
    0x0000000a, 0x00000024, 0x00000022, 0x0000001b, 0x00050085, 0x0000000a, 0x00000025, 0x00000023,
    0x0000001b, 0x00050083, 0x0000000a, 0x00000026, 0x00000024, 0x0000001a, 0x00050083, 0x0000000a,
    0x00000027, 0x00000025, 0x0000001a, 0x00070050, 0x0000000c, 0x00000028, 0x00000026, 0x00000027,
    0x00000019, 0x0000001a, 0x00060041, 0x00000017, 0x00000029, 0x00000003, 0x0000001e, 0x00000011,
    0x0003003e, 0x00000029, 0x00000028, 0x00050041, 0x00000018, 0x0000002a, 0x00000004, 0x0000000d,
    0x0003003e, 0x0000002a, 0x0000001c, 0x000100fd, 0x00010038};

#endif
