// The page of a chat, for visitors: alone, or in the panel of the widget.
import './chat.css';
import { keep, type Kept, type Message, NOTHING_KEPT, parseKept, readKept } from './kept';
import { element, showMarkdown } from './render';
import { type Chat, newKey, type Outcome, type Outgoing, talk } from './talk';

/** Pixels from the end of the conversation within which it follows new messages. */
const NEAR_END_PX = 80;
/** Of a reply that is read out. */
const MAX_ANNOUNCED_CHARS = 2_000;

const found = <E extends Element>(selector: string): E => {
  const match = document.querySelector<E>(selector);
  if (match === null) throw new Error(`The page has no ${selector}`);
  return match;
};

const main = found<HTMLElement>('#chat');
const list = found<HTMLOListElement>('#messages');
const form = found<HTMLFormElement>('#send');
const input = found<HTMLTextAreaElement>('#text');
const button = found<HTMLButtonElement>('#send button');
const status = found<HTMLElement>('#status');
const tools = found<HTMLElement>('#tools');

const { slug = '', input: field = 'message', greeting = '' } = main.dataset;
const chat: Chat = { slug, input: field };
const isFramed = window.parent !== window;

let kept: Kept = NOTHING_KEPT;
/** Rises with each new conversation: replies of an earlier one are dropped. */
let round = 0;

/**
 * Tells the widget around the page. The policy of the page names the sites that may show it, so any of them may know; they
 * keep the conversation where the browser refuses that to frames of other sites.
 */
const tellWidget = (act: 'close' | 'keep' | 'restore', value = ''): void => {
  if (isFramed) window.parent.postMessage({ everstep: act, value }, '*');
};

const change = (next: Partial<Kept>): void => {
  kept = { ...kept, ...next };
  keep(slug, kept, (text) => tellWidget('keep', text));
};

const announce = (text: string): void => {
  status.textContent = text.slice(0, MAX_ANNOUNCED_CHARS);
};

const toEnd = (): void => list.scrollTo({ top: list.scrollHeight });
const isNearEnd = (): boolean => list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END_PX;

function addMessage({ from, text }: Message): HTMLElement {
  const body = element('div', [], { class: 'text' });
  if (from === 'chat') showMarkdown(body, text);
  else body.textContent = text;
  const label = element('span', [from === 'chat' ? 'Reply: ' : 'You: '], { class: 'hidden' });
  list.append(element('li', [label, body], { class: from }));
  return body;
}

function showConversation(): void {
  list.replaceChildren();
  if (greeting !== '') addMessage({ from: 'chat', text: greeting });
  for (const message of kept.messages) addMessage(message);
  toEnd();
}

/** Sends a message that is on the list already, and shows the reply. */
async function send(message: Outgoing): Promise<void> {
  const own = round;
  change({ pending: message });
  setBusy(true);
  const body = addMessage({ from: 'chat', text: '' });
  body.append(element('span', [element('i'), element('i'), element('i')], { class: 'dots' }));
  toEnd();
  let latest: string | null = null;
  const show = (text: string): void => {
    if (own !== round) return;
    const follows = isNearEnd();
    showMarkdown(body, text);
    if (follows) toEnd();
  };
  const outcome = await talk(chat, message, (text) => {
    // Several pieces of a frame are shown at once.
    if (latest === null)
      requestAnimationFrame(() => {
        if (latest !== null) show(latest);
        latest = null;
      });
    latest = text;
  });
  latest = null;
  if (own !== round) return;
  setBusy(false);
  if (outcome.kind === 'reply') {
    show(outcome.text);
    change({
      conversation: outcome.conversation,
      messages: [...kept.messages, { from: 'chat', text: outcome.text }],
      pending: null,
    });
    announce(`Reply: ${body.textContent ?? ''}`);
    return;
  }
  body.closest('li')?.remove();
  showFault(outcome, message);
}

function showFault({ message: text, next }: Extract<Outcome, { kind: 'fault' }>, message: Outgoing): void {
  const row = element('li', [element('p', [text])], { class: 'fault' });
  const act = (label: string, work: () => void): void => {
    const retry = element('button', [label], { type: 'button' });
    retry.addEventListener('click', () => {
      row.remove();
      input.focus();
      work();
    });
    row.append(retry);
  };
  if (next === 'restart') act('Start a new conversation', restart);
  else if (next !== null)
    act('Try again', () => void send(next === 'repeat' ? message : { ...message, key: newKey() }));
  if (next === null) change({ pending: null });
  list.append(row);
  toEnd();
  announce(text);
}

function setBusy(busy: boolean): void {
  button.setAttribute('aria-disabled', String(busy));
  list.setAttribute('aria-busy', String(busy));
  if (busy) announce('Waiting for the reply');
}

function restart(): void {
  round++;
  change(NOTHING_KEPT);
  setBusy(false);
  showConversation();
  announce('New conversation');
  input.focus();
}

/** As high as its text; the style limits it. */
function fit(): void {
  input.style.height = 'auto';
  input.style.height = `${input.scrollHeight + 2}px`;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = input.value.trim();
  if (text === '' || button.getAttribute('aria-disabled') === 'true') return;
  input.value = '';
  fit();
  for (const fault of list.querySelectorAll('.fault')) fault.remove();
  addMessage({ from: 'visitor', text });
  change({ messages: [...kept.messages, { from: 'visitor', text }] });
  void send({ text, conversation: kept.conversation, key: newKey() });
});

input.addEventListener('input', fit);
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

function addTool(label: string, path: string, work: () => void): void {
  const tool = element('button', [], { type: 'button', 'aria-label': label, title: label });
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  line.setAttribute('d', path);
  svg.append(line);
  tool.append(svg);
  tool.addEventListener('click', work);
  tools.append(tool);
}

addTool('New conversation', 'M3 12a9 9 0 1 0 3-6.7L3 8M3 3v5h5', restart);

function begin(found: Kept): void {
  kept = found;
  showConversation();
  // The page was loaded again before the reply came.
  if (kept.pending !== null) void send(kept.pending);
}

if (isFramed) {
  const close = (): void => tellWidget('close');
  addTool('Close the chat', 'M18 6 6 18M6 6l12 12', close);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) close();
  });
  window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source !== window.parent || typeof data !== 'object' || data === null || !('everstep' in data)) return;
    if (data.everstep === 'open') input.focus();
    const isUnused = kept.messages.length === 0;
    if (data.everstep === 'kept' && isUnused && 'value' in data && typeof data.value === 'string')
      begin(parseKept(data.value));
  });
}

const own = readKept(slug);
begin(own ?? NOTHING_KEPT);
if (own === null) tellWidget('restore');
if (!isFramed) input.focus();
