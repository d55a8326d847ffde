-- The script for wrk. load.py writes `requests`, `parts`, `sequence` and `paced` above this.
local ffi = require("ffi")
ffi.cdef([[
  typedef struct { long seconds, nanoseconds; } benchmark_time;
  int clock_gettime(int, benchmark_time *);
]])
local MONOTONIC = ffi.os == "OSX" and 6 or 1
local time = ffi.new("benchmark_time")
local threads = {}
local position, part, started = 0, "", 0

counts = {} -- a global of each thread, which `done` reads

local function microseconds()
  ffi.C.clock_gettime(MONOTONIC, time)
  return tonumber(time.seconds) * 1e6 + tonumber(time.nanoseconds) / 1e3
end

function setup(thread)
  thread:set("first", #threads * 37) -- each thread starts elsewhere in the sequence
  threads[#threads + 1] = thread
end

function init()
  position = first
  math.randomseed(first)
end

function request()
  position = position % #sequence + 1
  local number = sequence[position]
  if paced then
    part, started = parts[number], microseconds()
  end
  return requests[number]
end

function response(status)
  local key = status
  if paced then
    key = string.format("%s\t%d\t%d", part, status, microseconds() - started)
  end
  counts[key] = (counts[key] or 0) + 1
end

if paced then
  -- Milliseconds of each connection between a response and its next request.
  function delay()
    return math.random(8, 24)
  end
end

function done()
  for _, thread in ipairs(threads) do
    for key, count in pairs(thread:get("counts")) do
      print("counted", key, count)
    end
  end
end
