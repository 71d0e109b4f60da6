import type { LlmMessage, LlmPart } from '../../lib/llm';

type InputPart = { type: 'text'; text: string } | { type: 'image'; url?: string; base64?: string; media_type?: string };

/** Input of a model, as the schema of a step ensures it. */
export interface Conversation {
  readonly system?: string;
  readonly prompt?: string;
  readonly messages?: readonly { role: 'system' | 'user' | 'assistant'; content: string | InputPart[] }[];
}

/** The conversation, rules first: some providers take them nowhere else. */
export function conversationOf({ system, prompt, messages = [] }: Conversation): LlmMessage[] {
  const rules = [
    ...(system === undefined ? [] : [system]),
    ...messages.filter(({ role }) => role === 'system').map(({ content }) => textIn(content)),
  ];
  return [
    ...rulesMessage(rules),
    ...messages.filter(({ role }) => role !== 'system').map(({ role, content }) => turn(role === 'user', content)),
    ...(prompt === undefined ? [] : [userSays(prompt)]),
  ];
}

/** The user message. */
export const userSays = (text: string): LlmMessage => ({ role: 'user', parts: [{ kind: 'text', text }] });

/** Rules for the model; none when there are none. */
export const rulesMessage = (rules: readonly string[]): LlmMessage[] => {
  const text = rules.filter((rule) => rule.trim() !== '').join('\n\n');
  return text === '' ? [] : [{ role: 'system', text }];
};

function turn(ofUser: boolean, content: string | InputPart[]): LlmMessage {
  if (!ofUser) return { role: 'assistant', parts: [{ kind: 'text', text: textIn(content) }] };
  return typeof content === 'string' ? userSays(content) : { role: 'user', parts: content.map(partOf) };
}

const partOf = (part: InputPart): LlmPart =>
  part.type === 'text'
    ? { kind: 'text', text: part.text }
    : {
        kind: 'image',
        ...(part.url === undefined ? { base64: part.base64 ?? '' } : { url: part.url }),
        ...(part.media_type === undefined ? {} : { mediaType: part.media_type }),
      };

const textIn = (content: string | InputPart[]): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
