import { anyValue, choice, filledText, flag, list, object, outputOf, record, text } from '../../schema';

/** Ids are written with or without dashes. */
const id = (description: string) =>
  text(description, '59833787-2cf9-4fdf-8782-e53db20768a5', { minLength: 32, maxLength: 36 });

export const PAGE_ID = id('ID of the page.');
export const BLOCK_ID = id('ID of the block, or of a page for its content.');
export const DATABASE_ID = id('ID of the database.');

export const TITLE = text('Title of the page.', 'Weekly review', { maxLength: 2_000 });

export const CONTENT = {
  content: text('Paragraphs, separated by empty lines.', 'First paragraph.\n\nSecond paragraph.', {
    maxLength: 100_000,
  }),
  blocks: list(
    object({}, "A block in the provider's format.", { open: true }),
    'Blocks after the text.',
    [{ type: 'to_do', to_do: { rich_text: [{ text: { content: 'Call Ada' } }] } }],
    { maxItems: 100 },
  ),
} as const;

export const ICON = filledText('An emoji or the URL of an image.', '📦', { maxLength: 2_000 });

export const PROPERTIES = record("Properties by name, in the provider's format.", { Done: { checkbox: true } });

export const VALUES = record('Plain values by property name; the database schema defines their types.', {
  Name: 'Order 4711',
  Price: 12.5,
  Tags: ['new'],
  Due: '2026-03-01',
  Done: false,
});

export const PAGE = outputOf(
  {
    id: text('ID of the page.'),
    url: text('URL in the web app.'),
    title: text('Name or URI.'),
    values: record('Properties as plain values, by name.'),
    created_time: text('RFC 3339 timestamp.'),
    last_edited_time: text('RFC 3339 timestamp.'),
    archived: flag('Whether it is in the trash.'),
    parent: anyValue('Parent object.'),
    properties: record("Properties in the provider's format."),
  },
  ['id'],
);

export const BLOCK = object(
  {
    id: text('ID of the block.'),
    type: text('Type, which is also the key of the content.'),
    text: text('Text without formatting.'),
    has_children: flag('Whether the block has children.'),
  },
  'A block.',
  { open: true },
);

export const USER = object(
  { id: text('ID of the user.'), name: text('Name of the user.'), type: choice(['person', 'bot'], 'Person or bot.') },
  'A user.',
  { open: true },
);
