import { PassThrough } from 'node:stream';
import { ServiceBroker } from 'moleculer';
import { readConfig } from '../../../lib/config';
import { brokerOptions } from '../../../start/broker-options';

it('a logged error is written with the log message, its own message and its stack', async () => {
  const options = brokerOptions(readConfig({}), 'node-1');
  const destination = new PassThrough();
  const logger = options.logger as unknown as { options: { pino: object } };
  Object.assign(logger.options.pino, { destination });
  const broker = new ServiceBroker(options);

  broker.logger.error('A request failed', new Error('the disk is gone'), { at: 1 });

  const line = JSON.parse(String(destination.read())) as Record<string, unknown>;
  expect(line).toMatchObject({
    msg: 'A request failed',
    node: 'node-1',
    err: { message: 'the disk is gone', stack: expect.stringContaining('logging.spec') },
    more: [{ at: 1 }],
  });
});
