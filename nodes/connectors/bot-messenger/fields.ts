import { anyId, anyValue, choice, filledText, flag, integer, object, outputOf, text } from '../../schema';

export const CHAT_ID = anyId(
  'ID of a chat, or @name of a channel, such as `{{ trigger.body.message.chat.id }}`.',
  '@orders',
);

export const MESSAGE_ID = integer('ID of the message in the chat.', 4711, { minimum: 1 });

export const TEXT = filledText('Text.', 'Order 4711 has shipped.', { maxLength: 4_096 });

export const CAPTION = text('Caption.', 'Your label', { maxLength: 1_024 });

export const PARSE_MODE = choice(['HTML', 'MarkdownV2', 'Markdown'], 'Formatting of the text. Default: none.');

export const QUIETLY = {
  disable_notification: flag('Sends the message without sound.', { default: false }),
  protect_content: flag('Prevents forwarding and saving.', { default: false }),
} as const;

export const MARKUP = {
  reply_markup: object({}, "Reply markup, such as a keyboard, in the provider's format.", {
    open: true,
    example: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] },
  }),
} as const;

export const ADDRESS = text(
  'Public URL of the file, or the ID of a file that the provider has.',
  'https://example.com/label.png',
  { minLength: 1, maxLength: 2_000 },
);

export const MESSAGE = outputOf(
  {
    message_id: integer('ID of the message in the chat.'),
    date: integer('Creation time in seconds since 1970.'),
    chat: anyValue('Chat or mailbox.'),
    text: text('Text of the message.'),
  },
  ['message_id'],
);

export const DONE = outputOf({ done: flag('Always true.') }, ['done']);
