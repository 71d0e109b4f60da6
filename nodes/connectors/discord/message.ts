import { choice, list, outputOf, record, text } from '../../schema';

/** The content of a message. */
export const CONTENT = {
  content: text('Text in Markdown.', 'Order 4711 has **shipped**.', { maxLength: 2_000 }),
  embeds: list(
    record("An embed in Discord's format."),
    'Embeds below the text.',
    [{ title: 'Order 4711', description: 'Shipped', color: 5_763_719 }],
    { maxItems: 10 },
  ),
};

/** Allowed mentions: none by default, so that a text from outside mentions no one. */
export const MENTIONS = {
  mentions: list(
    choice(['users', 'roles', 'everyone'], 'A type of mention.'),
    'Types of mentions that notify people. Default: none.',
    ['users'],
  ),
};

export const MESSAGE = outputOf({
  id: text('ID of the message.', '334385199974967042'),
  channel_id: text('ID of the channel.', '290926798999357250'),
  content: CONTENT.content,
});
