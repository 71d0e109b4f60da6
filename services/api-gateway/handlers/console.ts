import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import { type ConsoleFile, consoleFolder, ConsoleFiles } from '../console/files';
import { CONSOLE_HEADERS } from '../console/policy';
import type { Gateway } from '../gateway';
import { sendText } from '../http/answer';
import { type GatewayRequest } from '../http/request';

const DOCUMENT = 'index.html';
const IMMUTABLE = 'public, max-age=31536000, immutable';

let files: ConsoleFiles | null = null;

/** Sends a file of the console. Every other path below `/console` gets the document, whose script reads the address. */
export function serveConsole({ app }: Gateway, path: string, request: GatewayRequest, response: ServerResponse): void {
  if (!app.config.console) throw new AppError('not_found', 'The console is off: start the server without CONSOLE=off');
  const found = path === '' ? null : currentFiles()?.find(path);
  if (found) return sendFile(found, request, response);
  if (path.startsWith('assets/')) throw new AppError('not_found', 'The console of this version has no such file');
  const built = currentFiles(true)?.find(DOCUMENT);
  if (built) sendFile(built, request, response);
  else sendText(response, 503, 'text/html; charset=utf-8', NOT_BUILT, { ...CONSOLE_HEADERS, 'Retry-After': '2' });
}

/** `checked` looks for a newer build, which a start makes beside the running server. */
function currentFiles(checked = false): ConsoleFiles | null {
  if (files !== null && !(checked && !files.isCurrent)) return files;
  const folder = consoleFolder();
  files = folder === null ? null : new ConsoleFiles(folder);
  return files;
}

function sendFile(file: ConsoleFile, request: GatewayRequest, response: ServerResponse): void {
  if (files === null) return;
  const headers = {
    ...(file.path === DOCUMENT ? CONSOLE_HEADERS : {}),
    'Cache-Control': file.hashed ? IMMUTABLE : 'no-cache',
    ETag: file.etag,
    Vary: 'Accept-Encoding',
  };
  if (request.headers['if-none-match']?.includes(file.etag) === true) {
    response.writeHead(304, headers).end();
    return;
  }
  const { bytes, coding } = files.encoded(file, request.headers['accept-encoding']);
  response
    .writeHead(200, {
      ...headers,
      'Content-Type': file.contentType,
      'Content-Length': bytes.length,
      ...(coding === null ? {} : { 'Content-Encoding': coding }),
    })
    .end(bytes);
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
