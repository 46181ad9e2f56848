#!lua name=fair_bench
-- Carries out one program of packages/key-value/src/program.ts. Redis runs a function alone and as a whole, but undoes
-- nothing: an impossible effect undoes those before it here.

-- Decimal integers: a number of Lua is exact only up to 2^53.
local function less(a, b)
  local below, other = a:sub(1, 1) == '-', b:sub(1, 1) == '-'
  if below ~= other then return below end
  if #a ~= #b then return (#a < #b) ~= below end
  return a ~= b and (a < b) ~= below
end

local function undone(undo, text)
  for place = #undo, 1, -1 do redis.call(unpack(undo[place])) end
  return redis.error_reply(text)
end

local function run(_, words)
  local at, known, undo, rows = 1, {}, {}, nil
  local function take()
    at = at + 1
    return words[at - 1]
  end
  local function get(key, field)
    local name = key .. '\n' .. field
    if known[name] == nil then known[name] = redis.call('HGET', key, field) end
    return known[name]
  end
  local function operand()
    if take() == 'v' then return take() end
    return get(take(), take())
  end
  local function fields()
    local count = tonumber(take())
    at = at + count
    return unpack(words, at - count, at - 1)
  end
  local function read(key, ...)
    local row = redis.call('HMGET', key, ...)
    if row[1] then rows[#rows + 1] = { key, unpack(row) } end
  end
  while at <= #words do
    local step = take()
    if step == 'missing' or step == 'exists' then
      local is = get(take(), take()) and 'exists' or 'missing'
      local reason = tonumber(take())
      if is == step then return reason end
    elseif step == 'less' or step == 'equal' then
      local a, b, reason = operand(), operand(), tonumber(take())
      if a and b and ((step == 'equal' and a == b) or (step == 'less' and less(a, b))) then return reason end
    elseif step == 'row' then
      rows = {}
      read(take(), fields())
    elseif step == 'scan' then
      local set, prefix, up = take(), take(), take() == 'up'
      local from, to, limit = take(), take(), take()
      local begins = at
      rows = {}
      local found = up and redis.call('ZRANGEBYLEX', set, from, to, 'LIMIT', 0, limit)
        or redis.call('ZREVRANGEBYLEX', set, to, from, 'LIMIT', 0, limit)
      for _, member in ipairs(found) do
        at = begins
        read(prefix .. member, fields())
      end
      at = begins + 1 + tonumber(words[begins])
    elseif step == 'add' or step == 'set' then
      local key, field, value = take(), take(), take()
      local before = get(key, field)
      if before then
        local changed = redis.pcall(step == 'add' and 'HINCRBY' or 'HSET', key, field, value)
        if type(changed) == 'table' then return undone(undo, 'BEYOND the sum is beyond 64 bits') end
        undo[#undo + 1] = { 'HSET', key, field, before }
        known[key .. '\n' .. field] = nil
      end
    elseif step == 'insert' or step == 'upsert' then
      local key, set, member = take(), take(), take()
      local begins = at
      if redis.call('EXISTS', key) == 0 then
        redis.call('HSET', key, fields())
        undo[#undo + 1] = { 'DEL', key }
        known = {}
        if set ~= '' then
          redis.call('ZADD', set, 0, member)
          undo[#undo + 1] = { 'ZREM', set, member }
        end
      elseif step == 'insert' then
        return undone(undo, 'PRESENT ' .. key .. ' exists already')
      end
      at = begins + 1 + tonumber(words[begins])
    else
      return undone(undo, 'STEP ' .. step .. ' is unknown')
    end
  end
  return rows or -1
end

redis.register_function('fair_bench_run', run)
