/** Loaded by a compute thread for all node types of this family. */
import './aggregate';
import './crypto';
import './csv/run';
import './datetime';
import './dedupe';
import './filter';
import './html-extract/run';
import './json';
import './markdown/run';
import './sort';
import './template';
import './xml/run';

export { computeTask } from './computed';
