import { anyId, anyValue, choice, filledText, flag, integer, object, outputOf, text } from '../../schema';

export const CHAT_ID = anyId(
  'Id of a chat, or @name of a channel, as `{{ trigger.body.message.chat.id }}`.',
  '@orders',
);

export const MESSAGE_ID = integer('Its number in the chat.', 4711, { minimum: 1 });

export const TEXT = filledText('The text.', 'Order 4711 has shipped.', { maxLength: 4_096 });

export const CAPTION = text('Text with it.', 'Your label', { maxLength: 1_024 });

export const PARSE_MODE = choice(
  ['HTML', 'MarkdownV2', 'Markdown'],
  'How the text is laid out; not, unless it says so.',
);

export const QUIETLY = {
  disable_notification: flag('Without a sound.', { default: false }),
  protect_content: flag('It cannot be forwarded or saved.', { default: false }),
} as const;

export const MARKUP = {
  reply_markup: object({}, 'A keyboard as the provider documents it.', {
    open: true,
    example: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] },
  }),
} as const;

export const ADDRESS = text(
  'Its address, where the provider gets it, or the id of one that it has.',
  'https://example.com/label.png',
  { minLength: 1, maxLength: 2_000 },
);

export const MESSAGE = outputOf(
  {
    message_id: integer('Its number in the chat.'),
    date: integer('When, in seconds since 1970.'),
    chat: anyValue('Where it is.'),
    text: text('What it says.'),
  },
  ['message_id'],
);

export const DONE = outputOf({ done: flag('True.') }, ['done']);
