import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import MarkdownIt from 'markdown-it';
import { AppError } from '../../lib/errors';

/** A page of `docs/`, as the list of guides names it. */
interface Guide {
  readonly name: string;
  readonly title: string;
  readonly headings: readonly { readonly id: string; readonly text: string }[];
}

/** The folder `docs`, found by walking up, since compiled files lie one folder deeper than sources; null without it. */
export function docsFolder(from = __dirname): string | null {
  const folder = join(from, 'docs');
  if (existsSync(join(folder, 'page', 'index.html'))) return folder;
  return dirname(from) === from ? null : docsFolder(dirname(from));
}

/** The pages that are installed, by name. */
const pages = (): ReadonlyMap<string, string> => {
  const folder = docsFolder();
  if (folder === null) return new Map();
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
  return new Map(files.sort().map((file) => [file.slice(0, -3), join(folder, file)]));
};

/** Every guide with its headings, by which the page searches. */
export const guideList = (): readonly Guide[] =>
  [...pages()].map(([name, path]) => {
    const text = readFileSync(path, 'utf8').replace(/^```.*?^```$/gms, '');
    const headings = [...text.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) => ({
      id: slugOf(heading),
      text: plain(heading),
    }));
    return { name, title: plain(/^# (.+)$/m.exec(text)?.[1] ?? name), headings };
  });

/** A guide as a page. @throws AppError not_found */
export function guidePage(name: string): string {
  const path = pages().get(name);
  if (path === undefined) throw new AppError('not_found', `There is no guide ${name}; GET /docs/guides lists them`);
  const text = readFileSync(path, 'utf8');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(plain(/^# (.+)$/m.exec(text)?.[1] ?? name))} - Everstep</title>
<link rel="stylesheet" href="/docs/app.css">
</head>
<body class="guide">
<main>
<p><a href="/docs">Everstep API</a></p>
${renderer.render(text)}
</main>
</body>
</html>
`;
}

function rendererOfGuides() {
  const markdown = new MarkdownIt({ html: false, linkify: false });
  markdown.renderer.rules.heading_open = (tokens, index) => {
    const { tag = 'h2' } = tokens[index] ?? {};
    return `<${tag} id="${escaped(slugOf(tokens[index + 1]?.content ?? ''))}">`;
  };
  markdown.renderer.rules.link_open = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    token?.attrSet('href', addressOf(String(token.attrGet('href') ?? '')));
    return self.renderToken(tokens, index, options);
  };
  return markdown;
}

/** Links between the files of `docs` become links between guides; other files of the sources are not served. */
function addressOf(link: string): string {
  const [, name, anchor = ''] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(link) ?? [];
  if (name !== undefined) return `/docs/guides/${name}${anchor}`;
  return /^(?:https?:|#)/.test(link) ? link : '/docs';
}

/** As GitHub makes them of headings. */
const slugOf = (heading: string): string =>
  plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

const plain = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim();

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const renderer = rendererOfGuides();
