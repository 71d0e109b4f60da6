import type { JsonObject } from '../../../lib/json';
import { DEFAULT_TOKENS, objectsIn, type Protocol, type Sent } from './reply';

/** The Messages API for messages, tools and lists of models. */
export const anthropic: Protocol = {
  read(path, body) {
    if (path !== '/anthropic/v1/messages') return null;
    const messages = objectsIn(body.messages);
    return {
      model: String(body.model),
      answersBefore: messages.filter(({ role }) => role === 'assistant').length,
      fault: faultOf(body, messages),
    };
  },
  key: (headers) => headers['x-api-key'] as string | undefined,
  say(seen, reply) {
    const { input, output, cached = 0 } = reply.tokens ?? DEFAULT_TOKENS;
    const calls = reply.kind === 'tools' ? reply.calls : [];
    return {
      id: `msg_${seen.answersBefore}`,
      type: 'message',
      role: 'assistant',
      model: seen.model,
      content: [
        ...(reply.text === undefined ? [] : [{ type: 'text', text: reply.text }]),
        ...calls.map((call, index) => ({
          type: 'tool_use',
          id: call.id ?? `toolu_${seen.answersBefore}_${index}`,
          name: call.name,
          input: call.input,
        })),
      ],
      stop_reason: reply.kind === 'tools' ? 'tool_use' : reply.kind === 'cut' ? 'max_tokens' : 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: input - cached,
        output_tokens: output,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: 0,
      },
    };
  },
  stream({ body, model }, reply) {
    if (body.stream !== true) return null;
    const { input, output, cached = 0 } = reply.tokens ?? DEFAULT_TOKENS;
    const calls = reply.kind === 'tools' ? reply.calls : [];
    const usage = { input_tokens: input - cached, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 };
    const start: JsonObject = {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    };
    return {
      before: [start, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
      piece: (text): JsonObject => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
      after: [
        { type: 'content_block_stop', index: 0 },
        ...calls.flatMap(({ id, name, input: given }, index): JsonObject[] => [
          {
            type: 'content_block_start',
            index: index + 1,
            content_block: { type: 'tool_use', id: id ?? `toolu_${index}`, name, input: {} },
          },
          {
            type: 'content_block_delta',
            index: index + 1,
            delta: { type: 'input_json_delta', partial_json: JSON.stringify(given) },
          },
          { type: 'content_block_stop', index: index + 1 },
        ]),
        {
          type: 'message_delta',
          delta: {
            stop_reason: reply.kind === 'tools' ? 'tool_use' : reply.kind === 'cut' ? 'max_tokens' : 'end_turn',
            stop_sequence: null,
          },
          usage: { output_tokens: output },
        },
        { type: 'message_stop' },
      ],
    };
  },
  refuse: (status, message) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : 'invalid_request_error', message },
  }),
  other(method, path): Sent | null {
    if (method !== 'GET' || !path.startsWith('/anthropic/v1/models')) return null;
    const data = [
      { type: 'model', id: 'claude-test-1', display_name: 'Claude Test', created_at: '2025-01-01T00:00:00Z' },
    ];
    return { status: 200, body: { data, has_more: false, first_id: 'claude-test-1', last_id: 'claude-test-1' } };
  },
};

function faultOf(body: JsonObject, messages: readonly JsonObject[]): string | null {
  if (typeof body.max_tokens !== 'number') return 'max_tokens: Field required';
  if (messages.length === 0) return 'messages: at least one message is required';
  let open: unknown[] = [];
  for (const { role, content } of messages) {
    if (role !== 'user' && role !== 'assistant') return `messages: Unexpected role "${String(role)}"`;
    const parts = objectsIn(content);
    const answered = parts.filter(({ type }) => type === 'tool_result').map(({ tool_use_id: id }) => id);
    if (open.some((id) => !answered.includes(id as string))) return '`tool_use` ids were found without `tool_result`';
    if (answered.some((id) => !open.includes(id))) return 'unexpected `tool_use_id` found in `tool_result` blocks';
    open = parts.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  }
  return null;
}
