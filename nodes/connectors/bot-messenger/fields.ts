import { anything, choice, flag, idOf, integer, object, outputOf, text } from '../schemas';

export const CHAT_ID = idOf(
  'Chat',
  'Id of a chat, or @name of a channel, as `{{ trigger.body.message.chat.id }}`.',
  '@orders',
);

export const MESSAGE_ID = integer('Message', 'Its number in the chat.', 4711, { minimum: 1 });

export const TEXT = text('Text', 'The text.', 'Order 4711 has shipped.', { minLength: 1, maxLength: 4_096 });

export const CAPTION = text('Caption', 'Text with it.', 'Your label', { maxLength: 1_024 });

export const PARSE_MODE = choice(
  ['HTML', 'MarkdownV2', 'Markdown'],
  'Layout',
  'How the text is laid out; not, unless it says so.',
);

export const QUIETLY = {
  disable_notification: flag('Quietly', 'Without a sound.', { default: false }),
  protect_content: flag('Protected', 'It cannot be forwarded or saved.', { default: false }),
} as const;

export const MARKUP = {
  reply_markup: object({}, 'Buttons', 'A keyboard as the provider documents it.', {
    open: true,
    sample: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] },
  }),
} as const;

export const ADDRESS = (title: string) =>
  text(
    title,
    'Its address, where the provider gets it, or the id of one that it has.',
    'https://example.com/label.png',
    { minLength: 1, maxLength: 2_000 },
  );

export const MESSAGE = outputOf(
  {
    message_id: integer('Message', 'Its number in the chat.'),
    date: integer('Date', 'When, in seconds since 1970.'),
    chat: anything('Chat', 'Where it is.'),
    text: text('Text', 'What it says.'),
  },
  ['message_id'],
);

export const DONE = outputOf({ done: flag('Done', 'True.') }, ['done']);
