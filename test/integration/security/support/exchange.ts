import { connect } from 'node:net';

/** An answer as bytes brought it. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a request whose connection ends with its answer. Of a stream the head is enough.
 * @throws Error when no answer has come within `withinMs`, or none at all
 */
export async function exchange(url: string, request: Buffer, withinMs: number): Promise<RawAnswer> {
  const answer = parsed(await bytesOf(url, request, withinMs));
  if (answer === null) throw new Error('The connection was closed without an answer');
  return answer;
}

function bytesOf(url: string, request: Buffer, withinMs: number): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let text = '';
    const timer = setTimeout(() => finish(new Error(`No answer within ${withinMs} ms; so far: ${text}`)), withinMs);
    const finish = (fault?: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      if (fault === undefined) resolve(text);
      else reject(fault);
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (/^content-type: text\/event-stream/im.test(text) && text.includes('\r\n\r\n')) finish();
    });
    socket.on('close', () => finish());
    // A server that refuses a body may close while we still send it; its response counts.
    socket.on('error', (fault) => (text === '' ? finish(fault) : finish()));
  });
}

function parsed(text: string): RawAnswer | null {
  const final = text.replace(/^(?:HTTP\/1\.1 1\d\d [^\r]*\r\n(?:[^\r]+\r\n)*\r\n)+/, '');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(final)?.[1];
  const end = final.indexOf('\r\n\r\n');
  if (status === undefined || end < 0) return null;
  const lines = final.slice(0, end).split('\r\n').slice(1);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const rest = final.slice(end + 4);
  return { status: Number(status), headers, body: headers['transfer-encoding'] === 'chunked' ? dechunked(rest) : rest };
}

/** Sizes count bytes, so the text is converted back to bytes for characters outside ASCII. */
function dechunked(text: string): string {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, line).toString(), 16);
    if (!(size > 0)) break;
    chunks.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return Buffer.concat(chunks).toString();
}
