import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { readBody } from '../../../services/api-gateway/http/body';

test('the body of a disconnected client is not awaited', async () => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-length'] = '5';
  request.destroy();
  await once(request, 'close');
  await expect(readBody(request, { maxBytes: 100, compressed: false }, () => undefined)).rejects.toMatchObject({
    type: 'invalid_request',
  });
});
