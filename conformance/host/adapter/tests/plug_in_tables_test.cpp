// Plug-ins that were built with another size of the contract than this host knows.
//
// The tiny plug-ins were compiled with version 2 of the headers as it first was. Those that are
// called short state a smaller table, and end the process if what lies behind it is called.
#include "conformance/host/adapter/plug_in_tables.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "conformance/host/tests/host_fixture.h"

// Version 2 as it first was: what it had is where it was.
namespace frozen {
#undef WDDMCHECK_PLUGIN_CLIENT_H
#undef WDDMCHECK_PLUGIN_DEVICE_H
#define WddmClientEntry FrozenClientEntry
#define WddmDeviceEntry FrozenDeviceEntry
#include "conformance/host/adapter/tests/plug_ins/client_v2.h"
#include "conformance/host/adapter/tests/plug_ins/device_v2.h"
#undef WddmClientEntry
#undef WddmDeviceEntry
}  // namespace frozen

namespace wddm::host {
namespace {

// An older plug-in's table is shorter.
template <typename Table>
Table copy_of(const Table& given) {
  Table copy{};
  std::memcpy(&copy, &given, std::min<std::size_t>(given.size, sizeof(copy)));
  return copy;
}

#define SAME_PLACE(type, member)                                             \
  static_assert(offsetof(::type, member) == offsetof(frozen::type, member)); \
  static_assert(sizeof(::type) >= sizeof(frozen::type))
SAME_PLACE(WddmCommand, value);
SAME_PLACE(WddmAllocationRequest, reserved);
SAME_PLACE(WddmContextRequest, node);
SAME_PLACE(WddmListAllocation, write);
SAME_PLACE(WddmPatchLocation, split_offset);
SAME_PLACE(WddmBuildRequest, node);
SAME_PLACE(WddmBuildResult, patches);
SAME_PLACE(WddmDecoded, address);
SAME_PLACE(WddmClient, decode);
SAME_PLACE(WddmDeviceHost, memory_written);
SAME_PLACE(WddmBar, reports_writes);
SAME_PLACE(WddmDeviceEvent, reserved);
SAME_PLACE(WddmDevice, scramble);
#undef SAME_PLACE

template <class Function>
Function entry_of(const std::string& name, const char* entry) {
  const std::string path = std::string(WDDM_TEST_PLUG_INS) + "/" + name + ".so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, entry));
}
const WddmDevice* device_of(const std::string& name) {
  return entry_of<WddmDeviceEntryFunction>(name, "WddmDeviceEntry")(WDDM_DEVICE_VERSION);
}
const WddmClient* client_of(const std::string& name) {
  return entry_of<WddmClientEntryFunction>(name, "WddmClientEntry")(WDDM_CLIENT_VERSION);
}

class PlugInTables : public HostTest {
 protected:
  DeviceTable taken_device;
  WddmClient taken_client;
};

TEST_F(PlugInTables, BarsAreReadAtTheStrideOfTheDevice) {
  ASSERT_EQ(take_table(device_of("tiny_device_whole"), taken_device), "");

  EXPECT_EQ(taken_device.table.bars, taken_device.bars.data());
  EXPECT_EQ(taken_device.table.bar_stride, sizeof(WddmBar));
  EXPECT_EQ(taken_device.bars[0].size, 0u);
  EXPECT_EQ(taken_device.bars[1].size, 8192u);
  EXPECT_EQ(taken_device.bars[1].memory, 1u);
  EXPECT_EQ(taken_device.bars[2].size, 0u);
}

TEST_F(PlugInTables, WholeDeviceOfVersion2Works) {
  ASSERT_EQ(take_table(device_of("tiny_device_whole"), taken_device), "");
  device = &taken_device.table;

  on_machine([&](World& world) {
    EXPECT_EQ(world.bus.advance(10), 5u);
    std::uint32_t word = 0;
    std::memcpy(&word, world.bus.bars()[1].bytes, sizeof(word));
    EXPECT_EQ(word, 0x600dda7au);
    std::uint8_t byte = 0;
    EXPECT_EQ(world.bus.config_read(0, &byte, 1), 1u);
    EXPECT_EQ(byte, 0x42);
  });

  const auto logged = seen<ev::DeviceLogged>();
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].kind, static_cast<std::uint32_t>(WDDM_DEVICE_FAULT));
  EXPECT_EQ(logged[0].tag, 7u);
  EXPECT_EQ(logged[0].address, 0x1234u);
}

TEST_F(PlugInTables, WhatLiesBeyondTheTableOfADeviceIsAbsent) {
  ASSERT_EQ(take_table(device_of("tiny_device_short"), taken_device), "");
  device = &taken_device.table;

  on_machine([&](World& world) {
    EXPECT_FALSE(world.bus.has_log());
    EXPECT_FALSE(world.bus.has_scramble());
    EXPECT_EQ(world.bus.advance(10), 5u);
    world.bus.scramble({});
    std::uint16_t vendor = 0;
    EXPECT_EQ(world.bus.config_read(0, &vendor, 2), 2u);
    EXPECT_EQ(vendor, 0x1234);
    EXPECT_EQ(world.bus.config_write(0, &vendor, 2), 0u);
  });
}

TEST_F(PlugInTables, WholeClientOfVersion2Works) {
  ASSERT_EQ(take_table(client_of("tiny_client_whole"), taken_client), "");
  client = &taken_client;

  on_machine([&](World& world) {
    begin(world);
    EXPECT_TRUE(world.objects.contexts().create({0}, {0}, {}));
    EXPECT_TRUE(world.objects.create_allocation({0}, {0}, 3, Place::Any, false));
  });

  EXPECT_EQ(driver.context_data, (std::vector<std::vector<std::uint8_t>>{{100, 0, 0, 0}}));
  EXPECT_EQ(driver.allocation_data,
            (std::vector<std::vector<std::uint8_t>>{{0, 0x30, 0, 0, 0, 0, 0, 0}}));
}

TEST_F(PlugInTables, ContextsOfTheSystemHaveNoDataOfAClient) {
  ASSERT_EQ(take_table(client_of("tiny_client_whole"), taken_client), "");
  client = &taken_client;

  on_machine([&](World& world) {
    begin(world);
    world.objects.create_system_contexts();
  });

  EXPECT_EQ(driver.context_data, (std::vector<std::vector<std::uint8_t>>{{}}));
}

TEST_F(PlugInTables, HostileUserModeWithholdsTheDataOfAContext) {
  ASSERT_EQ(take_table(client_of("tiny_client_whole"), taken_client), "");
  client = &taken_client;

  on_machine([&](World& world) {
    begin(world);
    Contexts& contexts = world.objects.contexts();
    EXPECT_TRUE(contexts.create({0}, {0}, {}, ContextUse::WithheldData));
    EXPECT_TRUE(contexts[ContextId{0}].withheld_data);
    EXPECT_TRUE(contexts.create({1}, {0}, {}));
    EXPECT_FALSE(contexts[ContextId{1}].withheld_data);
  });

  EXPECT_EQ(driver.context_data, (std::vector<std::vector<std::uint8_t>>{{}, {100, 0, 0, 0}}));
}

// A client from before GPU virtual addresses has no decode_entry, and is known by that.
TEST_F(PlugInTables, ClientOfVersion2AsItFirstWasEndsBeforeDecodeEntry) {
  ASSERT_EQ(take_table(client_of("tiny_client_whole"), taken_client), "");
  EXPECT_NE(taken_client.decode, nullptr);
  EXPECT_EQ(taken_client.decode_entry, nullptr);
  EXPECT_LE(taken_client.size, offsetof(WddmClient, decode_entry));
}

TEST_F(PlugInTables, WhatLiesBeyondTheTableOfAClientIsAbsent) {
  ASSERT_EQ(take_table(client_of("tiny_client_short"), taken_client), "");
  EXPECT_EQ(taken_client.decode, nullptr);
  EXPECT_EQ(taken_client.decode_entry, nullptr);
  EXPECT_NE(taken_client.build, nullptr);
}

// As a later host calls a client of version 2: its elements are larger.
TEST_F(PlugInTables, ClientOfVersion2TakesLargerElements) {
  struct Command {
    WddmCommand known;
    std::uint64_t later;
  };
  struct Decoded {
    WddmDecoded known;
    std::uint64_t later;
  };
  ASSERT_EQ(take_table(client_of("tiny_client_whole"), taken_client), "");
  Command commands[2]{{{}, 1}, {{}, 1}};
  commands[0].known.kind = WDDM_COMMAND_SPIN;
  commands[1].known.kind = WDDM_COMMAND_BIND;
  commands[1].known.allocation = 3;
  WddmBuildRequest request{};
  request.size = sizeof(request);
  request.commands = &commands[0].known;
  request.command_count = 2;
  request.command_stride = sizeof(Command);
  std::uint32_t words[2] = {};
  WddmListAllocation list[2] = {};
  WddmPatchLocation patches[2] = {};
  WddmBuildResult result{};
  result.size = sizeof(result);
  result.command_bytes = sizeof(words);
  result.command_buffer = words;
  result.allocation_count = 1;
  result.allocation_stride = 2 * sizeof(list[0]);
  result.allocations = list;
  result.patch_count = 1;
  result.patch_stride = 2 * sizeof(patches[0]);
  result.patches = patches;

  ASSERT_EQ(taken_client.build(nullptr, &request, &result), 0);
  Decoded decoded[2]{{{}, 9}, {{}, 9}};
  const int count =
      taken_client.decode(nullptr, words, sizeof(words), &decoded[0].known, sizeof(Decoded), 2);

  EXPECT_EQ(words[1], static_cast<std::uint32_t>(WDDM_COMMAND_BIND));
  EXPECT_EQ(list[0].allocation, 3u);
  EXPECT_EQ(patches[0].patch_offset, 4u);
  ASSERT_EQ(count, 2);
  EXPECT_EQ(decoded[1].known.kind, static_cast<std::uint32_t>(WDDM_COMMAND_BIND));
  EXPECT_EQ(decoded[0].later, 9u);
}

TEST_F(PlugInTables, TablesOfAnotherVersionAreRefusedWithWhatToDo) {
  EXPECT_EQ(take_table(device_of("tiny_device_version_1"), taken_device),
            "WddmDeviceEntry offers a table of version 1, and version 2 is expected; rebuild it "
            "with conformance/sdk/device.h of this wddmcheck");
  EXPECT_EQ(take_table(client_of("tiny_client_version_1"), taken_client),
            "WddmClientEntry offers a table of version 1, and version 2 is expected; rebuild it "
            "with conformance/sdk/client.h of this wddmcheck");
  EXPECT_EQ(take_table(static_cast<const WddmDevice*>(nullptr), taken_device),
            "WddmDeviceEntry offers no table to a host of version 2; rebuild it with "
            "conformance/sdk/device.h of this wddmcheck");
}

TEST_F(PlugInTables, TableThatEndsBeforeWhatIsNeededIsRefused) {
  WddmDevice device_table = copy_of(*device_of("tiny_device_whole"));
  device_table.size = offsetof(WddmDevice, advance);
  EXPECT_EQ(take_table(&device_table, taken_device), "the table has no advance()");
  device_table.size = offsetof(WddmDevice, name);
  EXPECT_EQ(take_table(&device_table, taken_device), "the table has no create()");

  WddmClient client_table = copy_of(*client_of("tiny_client_whole"));
  client_table.size = offsetof(WddmClient, build);
  EXPECT_EQ(take_table(&client_table, taken_client), "the table has no build()");
}

TEST_F(PlugInTables, MessagesAreAsManyAsTheirCapabilityCanSay) {
  DeviceTable whole;
  ASSERT_EQ(take_table(device_of("tiny_device_whole"), whole), "");
  EXPECT_EQ(whole.table.messages, 0u) << "an older plug-in has a line";
  whole.table.size = sizeof(WddmDevice);
  const auto trouble_with = [&](std::uint32_t messages, std::uint32_t message_table) {
    whole.table.messages = messages;
    whole.table.message_table = message_table;
    return take_table(&whole.table, taken_device);
  };
  EXPECT_EQ(trouble_with(32, 0), "");
  EXPECT_EQ(trouble_with(3, 0), "MSI has 1, 2, 4, 8, 16 or 32 messages");
  EXPECT_EQ(trouble_with(64, 0), "MSI has 1, 2, 4, 8, 16 or 32 messages");
  EXPECT_EQ(trouble_with(2048, 1), "");
  EXPECT_EQ(trouble_with(2049, 1), "MSI-X has at most 2048 messages");
}

TEST_F(PlugInTables, BarsThatCannotBeReadAreRefused) {
  WddmDevice table = copy_of(*device_of("tiny_device_whole"));
  table.bar_count = 7;
  EXPECT_EQ(take_table(&table, taken_device), "the table has more than 6 BARs");
  table.bar_count = 1;
  table.bar_stride = 0;
  EXPECT_EQ(take_table(&table, taken_device), "the BARs have no bar_stride");
  table.bars = nullptr;
  EXPECT_EQ(take_table(&table, taken_device), "the table has no bars");
  table.bar_count = 0;
  EXPECT_EQ(take_table(&table, taken_device), "");
}

}  // namespace
}  // namespace wddm::host
