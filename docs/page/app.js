// Shows the OpenAPI document of the installation that serves this page. Everything is made as text nodes: what the
// document says is never read as HTML.
'use strict';

/** An element with attributes and children; texts become text nodes, null is left out. */
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

/** What a document of this kind has behind its references. */
const resolver = (root) => (value) => {
  const reference = value?.$ref;
  if (typeof reference !== 'string') return { value, name: null };
  const steps = reference.slice(2).split('/');
  const found = steps.reduce((at, step) => at?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], root);
  return { value: found, name: steps.at(-1) };
};

/** Texts of comments use backticks for code, and nothing else of Markdown. */
const prose = (text) =>
  text.split(/(`[^`]+`)/).map((part) => (part.startsWith('`') ? make('code', {}, part.slice(1, -1)) : part));

const LIMITS = [
  ['format', ''],
  ['minLength', 'at least '],
  ['maxLength', 'at most '],
  ['minimum', 'from '],
  ['maximum', 'to '],
  ['maxItems', 'at most '],
  ['pattern', 'like '],
];

function typeOf(schema, resolve) {
  const { value, name } = resolve(schema);
  if (name !== null) return name;
  if (value.const !== undefined) return JSON.stringify(value.const);
  if (value.enum !== undefined) return value.enum.map((word) => JSON.stringify(word)).join(' | ');
  if (value.anyOf !== undefined) return value.anyOf.map((each) => typeOf(each, resolve)).join(' | ');
  if (value.type === 'array') return `list of ${typeOf(value.items ?? {}, resolve)}`;
  return [value.type ?? 'any'].flat().join(' | ');
}

const limitsOf = (schema) =>
  LIMITS.flatMap(([key, words]) => (schema[key] === undefined ? [] : [`${words}${schema[key]}`])).join(', ');

/** The members of a schema, and of what it names; `seen` keeps those that name themselves from going on for ever. */
function members(schema, resolve, seen = []) {
  const { value, name } = resolve(schema);
  if (value === undefined || (name !== null && seen.includes(name)) || seen.length > 6) return null;
  const deeper = name === null ? seen : [...seen, name];
  if (value.type === 'array') return members(value.items ?? {}, resolve, deeper);
  if (value.anyOf !== undefined) {
    const shown = value.anyOf.map((each) => members(each, resolve, deeper)).filter((list) => list !== null);
    return shown.length === 0 ? null : make('div', {}, shown);
  }
  if (value.properties === undefined) return null;
  const rows = Object.entries(value.properties).map(([key, member]) => {
    const about = resolve(member).value ?? {};
    const words = member.description ?? about.description;
    const label = make('code', (value.required ?? []).includes(key) ? { class: 'required' } : {}, key);
    const type = make(
      'span',
      { class: 'type' },
      ` ${[typeOf(member, resolve), limitsOf(about)].filter(Boolean).join(', ')}`,
    );
    return make(
      'li',
      {},
      label,
      type,
      words ? make('span', { class: 'about' }, prose(words)) : null,
      members(member, resolve, deeper),
    );
  });
  return make('ul', { class: 'schema' }, rows);
}

function contentOf(content, resolve) {
  return Object.entries(content ?? {}).map(([type, { schema, example }]) =>
    make(
      'div',
      {},
      make('p', {}, make('code', {}, type), make('span', { class: 'type' }, ` ${typeOf(schema ?? {}, resolve)}`)),
      members(schema ?? {}, resolve),
      example === undefined ? null : make('pre', {}, JSON.stringify(example, null, 2)),
    ),
  );
}

function parametersOf(parameters, resolve) {
  if (parameters.length === 0) return null;
  const rows = parameters.map((given) => {
    const { name, in: where, required, description, schema } = resolve(given).value;
    const label = make('code', required ? { class: 'required' } : {}, name);
    const type = [typeOf(schema, resolve), limitsOf(schema)].filter(Boolean).join(', ');
    return make(
      'tr',
      {},
      make('td', {}, label),
      make('td', {}, where),
      make('td', {}, type),
      make('td', {}, prose(description ?? '')),
    );
  });
  const head = make(
    'tr',
    {},
    ['name', 'in', 'type', ''].map((title) => make('th', { scope: 'col' }, title)),
  );
  return make('div', {}, make('h4', {}, 'Parameters'), make('table', {}, head, rows));
}

function responsesOf(responses, resolve) {
  const rows = Object.entries(responses).map(([status, given]) => {
    const { description, content } = resolve(given).value;
    // Every refusal has the same body, which is said once.
    const body = Number(status) < 400 ? contentOf(content, resolve) : [];
    return make(
      'tr',
      {},
      make('th', { scope: 'row' }, status),
      make('td', {}, make('div', {}, prose(description)), body),
    );
  });
  return make('div', {}, make('h4', {}, 'Answers'), make('table', {}, rows));
}

function curlOf(method, path, operation, resolve) {
  const content = operation.requestBody?.content?.['application/json'];
  const lines = [`curl -X ${method} '${location.origin}${path}'`];
  if (operation.security.some((scheme) => 'bearer' in scheme || 'workflowKey' in scheme))
    lines.push(`-H "Authorization: Bearer $TOKEN"`);
  if (content !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`);
    const body = JSON.stringify(content.example ?? skeleton(content.schema ?? {}, resolve));
    lines.push(`-d '${body.replaceAll("'", `'\\''`)}'`);
  }
  return make('pre', {}, lines.join(' \\\n  '));
}

/** What a schema demands, with empty values. */
function skeleton(schema, resolve) {
  const { value } = resolve(schema);
  const wanted = (value?.required ?? []).map((name) => [name, skeleton(value.properties?.[name] ?? {}, resolve)]);
  if (value?.type === 'object') return Object.fromEntries(wanted);
  return { string: '', integer: 0, number: 0, boolean: false, array: [] }[value?.type] ?? null;
}

function operationOf(method, path, operation, resolve) {
  const body = operation.requestBody === undefined ? null : contentOf(operation.requestBody.content, resolve);
  const title = make(
    'summary',
    {},
    make('span', { class: 'role' }, operation['x-role'] ?? 'public'),
    make('span', { class: `method ${method}` }, method),
    make('code', {}, path),
    make('span', { class: 'about' }, prose(operation.summary)),
  );
  const shown = make('details', { class: 'operation', id: operation.operationId }, title);
  // Made when it is opened: all of them at once are tens of thousands of elements.
  shown.addEventListener('toggle', () => {
    if (!shown.open || shown.childElementCount > 1) return;
    shown.append(
      make(
        'div',
        {},
        make('p', {}, make('code', {}, operation.operationId)),
        operation.description ? make('p', {}, prose(operation.description)) : null,
        parametersOf(operation.parameters ?? [], resolve),
        body === null ? null : make('div', {}, make('h4', {}, 'Body'), body),
        responsesOf(operation.responses, resolve),
        make('h4', {}, 'By curl'),
        curlOf(method, path, operation, resolve),
      ),
    );
  });
  return shown;
}

function show(api) {
  const resolve = resolver(api);
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const searched = [];
  const groups = [];
  const main = document.getElementById('main');
  const contents = document.getElementById('contents');
  const about = api.info.description.split('\n\n').map((text) => make('p', {}, prose(text)));
  const link = make('a', { href: '/openapi.json' }, '/openapi.json');
  main.replaceChildren(
    make('h1', {}, `${api.info.title} ${api.info.version}`),
    ...about,
    make('p', {}, 'As a document: ', link),
  );
  for (const { name, description } of api.tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const section = make('section', {}, make('h2', {}, name), make('p', {}, description));
    const list = make('div', {}, make('h2', {}, name));
    for (const { method, path, operation } of own) {
      const shown = operationOf(method, path, operation, resolve);
      const entry = make(
        'a',
        { href: `#${operation.operationId}`, title: operation.summary },
        make('span', { class: method }, method),
        ` ${path}`,
      );
      section.append(shown);
      list.append(entry);
      searched.push({
        text: `${method} ${path} ${operation.operationId} ${operation.summary}`.toLowerCase(),
        parts: [shown, entry],
      });
    }
    main.append(section);
    contents.append(list);
    groups.push({ parts: [section, list], entries: searched.slice(searched.length - own.length) });
  }
  document.getElementById('search').addEventListener('input', ({ target }) => {
    const words = target.value.toLowerCase().split(/\s+/);
    for (const { text, parts } of searched) {
      for (const part of parts) part.hidden = !words.every((word) => text.includes(word));
    }
    for (const { parts, entries } of groups) {
      for (const part of parts) part.hidden = entries.every((entry) => entry.parts[0].hidden);
    }
  });
  const goTo = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target === null || target.tagName !== 'DETAILS') return;
    target.open = true;
    target.scrollIntoView();
  };
  addEventListener('hashchange', goTo);
  goTo();
}

fetch('/openapi.json')
  .then((response) => response.json())
  .then(show)
  .catch((fault) => {
    document
      .getElementById('main')
      .replaceChildren(make('p', {}, `The description could not be shown: ${fault.message}`));
  });
