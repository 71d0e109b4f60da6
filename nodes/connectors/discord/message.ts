import { choice, list, outputOf, record, text } from '../../schema';

/** What a message says. */
export const CONTENT = {
  content: text('In Markdown.', 'Order 4711 has **shipped**.', { maxLength: 2_000 }),
  embeds: list(
    record('As Discord documents it.'),
    'Boxes below the text.',
    [{ title: 'Order 4711', description: 'Shipped', color: 5_763_719 }],
    { maxItems: 10 },
  ),
};

/** Allowed mentions: none by default, so that a text from outside mentions no one. */
export const MENTIONS = {
  mentions: list(
    choice(['users', 'roles', 'everyone'], 'A kind of mention.'),
    'Which mentions in the text notify people; none by default.',
    ['users'],
  ),
};

export const MESSAGE = outputOf({
  id: text('Of the message.', '334385199974967042'),
  channel_id: text('Its id.', '290926798999357250'),
  content: CONTENT.content,
});
