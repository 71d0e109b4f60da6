import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import { sendText } from '../http/answer';
import type { GatewayRequest } from '../http/request';
import { type BuiltEntry, type ConsoleFile, consoleFolder, ConsoleFiles } from './files';
import { CONSOLE_HEADERS } from './policy';

const DOCUMENT = 'index.html';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The web console. Every path without a file of its own gets the document, whose script reads the address. */
export class ConsoleSite {
  #files: ConsoleFiles | null = null;

  constructor(
    readonly isOn: boolean,
    readonly findFolder: () => string | null = consoleFolder,
  ) {}

  /** @throws AppError not_found */
  serve(path: string, request: Pick<GatewayRequest, 'headers'>, response: ServerResponse): void {
    if (!this.isOn) throw new AppError('not_found', 'The console is off: start the server without CONSOLE=off');
    const file = path === '' ? null : this.#current()?.find(path);
    if (file) return this.#send(file, request, response);
    if (path.startsWith('assets/')) throw new AppError('not_found', 'The console of this version has no such file');
    const document = this.#checked()?.find(DOCUMENT);
    if (document) this.#send(document, request, response);
    else sendText(response, 503, 'text/html; charset=utf-8', NOT_BUILT, { ...CONSOLE_HEADERS, 'Retry-After': '2' });
  }

  /** An entry of the build that is no part of the console, by its source; null without it. Also where the console is off. */
  entry(source: string): BuiltEntry | null {
    return this.#checked()?.entry(source) ?? null;
  }

  /** Sends a file of the build. @throws AppError not_found */
  sendFile(
    path: string,
    headers: Readonly<Record<string, string>>,
    request: Pick<GatewayRequest, 'headers'>,
    response: ServerResponse,
  ): void {
    const file = this.#current()?.find(path);
    if (!file) throw new AppError('not_found', 'This version has no such file');
    this.#send(file, request, response, headers);
  }

  #current(): ConsoleFiles | null {
    return this.#files ?? this.#checked();
  }

  /** Looks for a newer build, which a start makes beside the running server. */
  #checked(): ConsoleFiles | null {
    if (this.#files?.isCurrent === true) return this.#files;
    const folder = this.findFolder();
    this.#files = folder === null ? null : new ConsoleFiles(folder);
    return this.#files;
  }

  #send(
    file: ConsoleFile,
    { headers: given }: Pick<GatewayRequest, 'headers'>,
    response: ServerResponse,
    own: Readonly<Record<string, string>> = {},
  ): void {
    const files = this.#current();
    if (files === null) throw new AppError('unavailable', 'The console is being built; try again in some seconds');
    const headers = {
      ...(file.path === DOCUMENT ? CONSOLE_HEADERS : {}),
      'Cache-Control': file.hashed ? IMMUTABLE : 'no-cache',
      ETag: file.etag,
      Vary: 'Accept-Encoding',
      ...own,
    };
    if (given['if-none-match']?.includes(file.etag) === true) {
      response.writeHead(304, headers).end();
      return;
    }
    const { bytes, coding } = files.encoded(file, given['accept-encoding']);
    response
      .writeHead(200, {
        ...headers,
        'Content-Type': file.contentType,
        'Content-Length': bytes.length,
        ...(coding === null ? {} : { 'Content-Encoding': coding }),
      })
      .end(bytes);
  }
}

/** Loads itself again, so that it shows the console as soon as the build is done. */
const NOT_BUILT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="2">
<title>Everstep</title>
</head>
<body>
<h1>The console is being built</h1>
<p>This takes a few seconds after an update; the page loads again by itself. The API already answers.</p>
<p>If it stays like this, the server was installed without development packages: run <code>npm ci</code> and <code>npm run build</code>.</p>
</body>
</html>
`;
