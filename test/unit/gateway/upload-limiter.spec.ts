import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { UploadLimiter } from '../../../services/api-gateway/http/upload-limiter';

const response = (closed = false) => Object.assign(new EventEmitter(), { closed }) as unknown as ServerResponse;

/** How many permits a tenant gets, and their releases. */
function fill(places: UploadLimiter, tenant: string): ServerResponse[] {
  const got: ServerResponse[] = [];
  for (;;) {
    const one = response();
    try {
      places.take(tenant, one);
    } catch (fault) {
      expect(fault).toMatchObject({ type: 'unavailable', data: { retry_after: 1 } });
      return got;
    }
    got.push(one);
  }
}

test('a tenant leaves permits for others, and releases each once', () => {
  const places = new UploadLimiter(32);
  const first = fill(places, 'a');
  expect([first.length, fill(places, 'b').length, fill(places, 'c').length]).toEqual([16, 8, 4]);
  const [one] = first as [ServerResponse];
  one.emit('close');
  one.emit('close');
  places.take('c', response());
  expect([fill(places, 'c'), fill(places, 'b')]).toEqual([[], []]);
});

test('a closed connection holds no permit', () => {
  const places = new UploadLimiter(2);
  for (let n = 0; n < 10; n++) places.take('a', response(true));
  expect(fill(places, 'a')).toHaveLength(1);
});
