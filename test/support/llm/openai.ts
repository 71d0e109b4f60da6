import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { DEFAULT_TOKENS, objectsIn, type Protocol, type Sent, vectorOf } from './reply';

/** Chat completions of OpenAI and compatible servers, with OpenAI's validation of requests. */
export const openai: Protocol = {
  read(path, body) {
    if (path !== '/v1/chat/completions') return null;
    const messages = objectsIn(body.messages);
    return {
      model: String(body.model),
      answersBefore: messages.filter(({ role }) => role === 'assistant').length,
      fault: faultOf(body, messages),
    };
  },
  key: ({ authorization }) => authorization?.replace(/^Bearer /, ''),
  say(seen, reply) {
    const { input, output, cached = 0 } = reply.tokens ?? DEFAULT_TOKENS;
    const calls = reply.kind === 'tools' ? reply.calls : [];
    return {
      id: `chatcmpl-${seen.answersBefore}`,
      object: 'chat.completion',
      created: 1_893_456_000,
      model: seen.model,
      choices: [
        {
          index: 0,
          finish_reason: reply.kind === 'tools' ? 'tool_calls' : reply.kind === 'cut' ? 'length' : 'stop',
          message: {
            role: 'assistant',
            content: reply.text ?? null,
            ...(calls.length === 0
              ? {}
              : {
                  tool_calls: calls.map((call, index) => ({
                    id: call.id ?? `call_${seen.answersBefore}_${index}`,
                    type: 'function',
                    function: {
                      name: call.name,
                      arguments: typeof call.input === 'string' ? call.input : JSON.stringify(call.input),
                    },
                  })),
                }),
          },
        },
      ],
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: { cached_tokens: cached },
      },
    };
  },
  stream({ body, model }, reply) {
    if (body.stream !== true) return null;
    const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_893_456_000,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const { input, output, cached = 0 } = reply.tokens ?? DEFAULT_TOKENS;
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
    };
    const calls = reply.kind === 'tools' ? reply.calls : [];
    const asked = isObject(body.stream_options) && body.stream_options.include_usage === true;
    return {
      before: [chunk({ role: 'assistant', content: '' })],
      piece: (text) => chunk({ content: text }),
      after: [
        ...calls.map(({ id, name, input: given }, index) =>
          chunk({
            tool_calls: [
              {
                index,
                id: id ?? `call_${index}`,
                type: 'function',
                function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
              },
            ],
          }),
        ),
        chunk({}, reply.kind === 'tools' ? 'tool_calls' : reply.kind === 'cut' ? 'length' : 'stop'),
        ...(asked ? [{ ...chunk({}), choices: [], usage }] : []),
      ],
      end: '[DONE]',
    };
  },
  refuse: (status, message) => ({
    error: { message, type: status === 429 ? 'requests' : 'invalid_request_error', param: null, code: null },
  }),
  other(method, path, body): Sent | null {
    if (method === 'GET' && path === '/v1/models') {
      const data = ['small-model', 'large-model'].map((id) => ({ id, object: 'model', owned_by: 'test' }));
      return { status: 200, body: { object: 'list', data } };
    }
    if (method !== 'POST' || path !== '/v1/embeddings') return null;
    const texts = (Array.isArray(body.input) ? body.input : [body.input]).map(String);
    const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
    const tokens = texts.join(' ').split(' ').length;
    return {
      status: 200,
      body: { object: 'list', data, model: String(body.model), usage: { prompt_tokens: tokens, total_tokens: tokens } },
    };
  },
};

/** The errors of the real service that our client could cause. */
function faultOf(body: JsonObject, messages: readonly JsonObject[]): string | null {
  if (typeof body.model !== 'string' || body.model === '') return 'you must provide a model parameter';
  if (messages.length === 0) return "[] is too short - 'messages'";
  for (const tool of objectsIn(body.tools)) {
    const { name, parameters } = tool.function as { name: string; parameters: JsonObject };
    if (!/^[\w-]{1,64}$/.test(name)) return `Invalid 'tools.function.name': ${name}`;
    const combined = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].filter((word) => Object.hasOwn(parameters, word));
    if (parameters.type !== 'object' || combined.length > 0)
      return `Invalid schema for function '${name}': schema must have type 'object' and not have ${combined.join()} at the top level`;
  }
  return faultOfOrder(messages);
}

/** Each tool call must have its result in the messages after it, and each result its call. */
function faultOfOrder(messages: readonly JsonObject[]): string | null {
  let open = new Set<Json>();
  for (const { role, tool_calls: calls, tool_call_id: answered } of messages) {
    if (!['system', 'developer', 'user', 'assistant', 'tool'].includes(String(role))) return `Invalid role ${role}`;
    if (role === 'tool') {
      if (!open.delete(answered as Json)) return 'a tool message must follow a message with its tool_call_id';
      continue;
    }
    if (open.size > 0) return `tool_call_ids did not have response messages: ${[...open].join()}`;
    open = new Set(objectsIn(calls).map(({ id }) => id as Json));
  }
  return open.size > 0 ? `tool_call_ids did not have response messages: ${[...open].join()}` : null;
}
