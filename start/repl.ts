import { hostname } from 'node:os';
import { ServiceBroker } from 'moleculer';
import type { Config } from '../lib/config';
import { loadKeys } from '../lib/keys';
import { SILENT_METRICS } from '../lib/metrics';
import { Principals } from '../lib/principal';
import { appOf } from '../services/app';
import { brokerOptions, loadConfig } from './broker-options';
import { startProcess } from './process';
import { callingAs, replCommands } from './repl-commands';
import { openConnection } from './resources';
import { fatal } from './error-text';

/** The broker of the prompt. */
interface Session {
  readonly broker: ServiceBroker;
  readonly principals: Principals;
}

/**
 * `npm run repl`: Moleculer's REPL. With TRANSPORTER it joins the cluster as a node without services. Otherwise it
 * starts the services in this process, which fails while a server uses the data folder.
 */
async function main(): Promise<void> {
  const { default: repl } = await import('moleculer-repl').catch(() => {
    throw new Error('The REPL is a development dependency: run "npm ci" without --omit=dev');
  });
  const config = loadConfig();
  const { broker, principals } = await (config.bus === null ? startHere(config) : joinCluster(config));
  const calling = callingAs(broker, principals);
  repl(calling.broker, { delimiter: 'everstep $', customCommands: replCommands(calling) });
}

async function startHere(config: Config): Promise<Session> {
  const { broker } = await startProcess(config, fatal);
  return { broker, principals: appOf(broker).principals };
}

async function joinCluster(config: Config): Promise<Session> {
  const { keys } = loadKeys(config.keys, config.dataDir);
  // For messages that are larger than NATS takes. TRANSPORTER requires MONGO_URL.
  const db = await openConnection(config.mongoUrl as string, SILENT_METRICS);
  const nodeId = `repl-${hostname()}-${process.pid}`;
  const broker = new ServiceBroker({
    ...brokerOptions(config, nodeId, { db, keys, onFatal: fatal }),
    stopped: () => db.close(),
  });
  await broker.start();
  return { broker, principals: new Principals(keys.principal, keys.previous.principal) };
}

main().catch(fatal);
