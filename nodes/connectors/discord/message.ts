import { choice, list, outputOf, record, text } from '../schemas';

/** What a message says. */
export const CONTENT = {
  content: text('Text', 'In Markdown.', 'Order 4711 has **shipped**.', { maxLength: 2_000 }),
  embeds: list(
    record('Embed', 'As Discord documents it.'),
    'Embeds',
    'Boxes below the text.',
    [{ title: 'Order 4711', description: 'Shipped', color: 5_763_719 }],
    { maxItems: 10 },
  ),
};

/** Allowed mentions: none by default, so that a text from outside mentions no one. */
export const MENTIONS = {
  mentions: list(
    choice(['users', 'roles', 'everyone'], 'Kind', 'A kind of mention.'),
    'Mentions call',
    'Which mentions in the text notify people; none by default.',
    ['users'],
  ),
};

export const MESSAGE = outputOf({
  id: text('Id', 'Of the message.', '334385199974967042'),
  channel_id: text('Channel', 'Its id.', '290926798999357250'),
  content: CONTENT.content,
});
