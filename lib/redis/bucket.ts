/**
 * Takes a token from a bucket: KEYS[1] is the bucket, ARGV[1] its rate per second, ARGV[2] its capacity. Returns the
 * whole tokens left, or -1 when it was empty. With ARGV[3], the cost of completed work, that many are taken
 * unconditionally; the debt is limited to the capacity, and a negative cost refunds tokens. Uses the server's time, so
 * that all clients agree. A refusal writes nothing, and a full bucket expires, as a new one is full.
 */
export const TAKE_TOKEN = `
local rate = tonumber(ARGV[1])
local max = tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tokens, at = max, now
local known = redis.call('GET', KEYS[1])
if known then
  local left, since = string.match(known, '^(%S+) (%S+)$')
  tokens, at = tonumber(left) or max, tonumber(since) or now
end
tokens = math.min(max, tokens + math.max(0, now - at) * rate / 1000000)
local cost = tonumber(ARGV[3])
if cost then
  tokens = math.min(max, math.max(-max, tokens - cost))
else
  if tokens < 1 then return -1 end
  tokens = tokens - 1
end
local full = math.ceil((max - tokens) * 1000 / rate)
if full < 1 then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], string.format('%.17g %.0f', tokens, now), 'PX', full)
end
return math.floor(tokens)
`;
