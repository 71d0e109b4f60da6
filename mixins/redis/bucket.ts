/**
 * Takes a token of a bucket: KEYS[1] is the bucket, ARGV[1] how many tokens it gets in a second, ARGV[2] how many
 * it holds. Answers the whole tokens that are left, or -1 when there was none. Time is the server's, so that all who share a bucket agree; a
 * refusal writes nothing, and a bucket that has filled up again is forgotten, because a new one is full.
 */
export const TAKE_TOKEN = `
local rate = tonumber(ARGV[1])
local most = tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tokens, at = most, now
local known = redis.call('GET', KEYS[1])
if known then
  local left, since = string.match(known, '^(%S+) (%S+)$')
  tokens, at = tonumber(left) or most, tonumber(since) or now
end
tokens = math.min(most, tokens + math.max(0, now - at) * rate / 1000000)
if tokens < 1 then return -1 end
tokens = tokens - 1
local full = math.ceil((most - tokens) * 1000 / rate)
redis.call('SET', KEYS[1], string.format('%.17g %.0f', tokens, now), 'PX', full)
return math.floor(tokens)
`;
