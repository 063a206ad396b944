local M = {}

local LIMIT = 100
M.name = "two  words"
text = [[
two  words]]

-- Adds two numbers.
local function add(a, b)
  local function inner()
    return a
  end
  return inner() + b
end

function M.start(options)
  return add(1, 2)
end

function M:stop()
  self.running = false
end

M.reset = function()
  M:stop()
end

local helper = function(x) return x end

function global()
  return helper
end

return M
