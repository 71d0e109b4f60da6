/**
 * Why a test cannot pass:
 * - `driver`: the Node driver deviates from its own specification; the same with every server
 * - `sessions`: needs logical sessions, which a server without transactions need not announce
 * - `refused`: a feature that the embedded server refuses on purpose, with an error
 */
export type SkipKind = 'driver' | 'sessions' | 'refused';

/** One test that cannot pass: it is run all the same, and must fail in this way. */
export interface Skip {
  area: string;
  file: string;
  /** The test's description. */
  test: string;
  kind: SkipKind;
  reason: string;
  /** A part of the failure's message. */
  error: RegExp;
  /** Only with this engine; without it, with both. */
  engine?: 'ours' | 'real';
}

type Case = Pick<Skip, 'file' | 'test'>;

/** Several tests, or all the named tests of one file, with one cause. */
const because = (area: string, cause: Omit<Skip, 'area' | 'file' | 'test'>, cases: Case[]): Skip[] =>
  cases.map((one) => ({ area, ...one, ...cause }));

const of = (file: string, ...tests: string[]): Case[] => tests.map((test) => ({ file, test }));

const DRIVER: Skip[] = [
  ...because(
    'crud',
    {
      kind: 'driver',
      reason: 'leaves out bypassDocumentValidation when it is false',
      error: /bypassDocumentValidation: wanted false, got nothing/,
    },
    of(
      'bypassDocumentValidation.json',
      'BulkWrite passes bypassDocumentValidation: false',
      'FindOneAndReplace passes bypassDocumentValidation: false',
      'FindOneAndUpdate passes bypassDocumentValidation: false',
      'InsertMany passes bypassDocumentValidation: false',
    ),
  ),
  ...because(
    'crud',
    {
      kind: 'driver',
      reason: 'reports a partial result with zero counters',
      error: /insertedCount: wanted nothing, got/,
    },
    of(
      'client-bulkWrite-partialResults.json',
      'partialResult is unset when all operations fail during an unordered bulk write',
      'partialResult is unset when first operation fails during an ordered bulk write (summary)',
      'partialResult is unset when first operation fails during an ordered bulk write (verbose)',
    ),
  ),
  ...because(
    'crud',
    { kind: 'driver', reason: 'replaces a null _id by an ObjectId', error: /countDocuments: wanted .*1.*, got .*0/ },
    of(
      'create-null-ids.json',
      'inserting _id with type null via insertOne',
      'inserting _id with type null via insertMany',
      'inserting _id with type null via bulkWrite',
      'inserting _id with type null via clientBulkWrite',
    ),
  ),
  ...because(
    'gridfs',
    { kind: 'driver', reason: 'does not notice a missing last chunk', error: /download should have failed/ },
    of('download.json', 'download when final chunk is missing'),
  ),
  ...because('gridfs', { kind: 'driver', reason: 'has no such method', error: /the driver has no operation/ }, [
    ...of(
      'deleteByName.json',
      'delete when file name does not exist',
      'delete when multiple revisions of the file exist',
    ),
    ...of(
      'renameByName.json',
      'rename when file name does not exist',
      'rename when multiple revisions of the file exist',
    ),
  ]),
  ...because(
    'read-write-concern',
    { kind: 'driver', reason: 'has no such method', error: /the driver has no operation/ },
    of('default-write-concern-3.4.json', 'MapReduce omits default write concern'),
  ),
];

const SESSIONS: Skip[] = [
  ...because(
    'run-command',
    {
      kind: 'sessions',
      reason: 'asserts a session id',
      error: /lsid: wanted a value, got nothing|no session|does not support sessions/,
    },
    [
      ...of(
        'runCommand.json',
        'always attaches $db and implicit lsid to given command and omits default readPreference',
        'attaches the provided session lsid to given command',
      ),
      ...of(
        'runCursorCommand.json',
        'accepts an explicit session that is reused across getMores',
        'creates an implicit session that is reused across getMores',
        'supports configuring getMore batchSize',
        'supports configuring getMore comment',
        'supports configuring getMore maxTimeMS',
      ),
    ],
  ),
  ...because('crud', { kind: 'sessions', reason: 'lists sessions', error: /listLocalSessions/ }, [
    ...of(
      'db-aggregate.json',
      'Aggregate with $listLocalSessions',
      'Aggregate with $listLocalSessions and allowDiskUse',
    ),
    ...of('db-aggregate-rawdata.json', 'Aggregate with rawData option on less than 8.2.0 - ignore argument'),
  ]),
];

const refused = (what: string, error: RegExp): Omit<Skip, 'area' | 'file' | 'test'> => ({
  kind: 'refused',
  reason: what,
  error,
  engine: 'ours',
});

const REFUSED: Skip[] = [
  ...because(
    'collection-management',
    refused('clustered collections', /not supported: clusteredIndex/),
    of(
      'clustered-indexes.json',
      'createCollection with clusteredIndex',
      'listCollections includes clusteredIndex',
      'listIndexes returns the index',
    ),
  ),
  ...because(
    'collection-management',
    refused('images for change streams', /not supported: changeStreamPreAndPostImages/),
    [
      ...of('createCollection-pre_and_post_images.json', 'createCollection with changeStreamPreAndPostImages enabled'),
      ...of('modifyCollection-pre_and_post_images.json', 'modifyCollection to changeStreamPreAndPostImages enabled'),
    ],
  ),
  ...because(
    'collection-management',
    refused('time series', /not supported: timeseries/),
    of(
      'timeseries-collection.json',
      'createCollection with all options',
      'createCollection with bucketing options',
      'insertMany with duplicate ids',
    ),
  ),
  ...because(
    'collection-management',
    refused('making an index unique later', /cannot be changed: prepareUnique/),
    of('modifyCollection-errorResponse.json', 'modifyCollection prepareUnique violations are accessible'),
  ),
  ...because(
    'crud',
    refused('views', /not supported: viewOn/),
    of('estimatedDocumentCount.json', 'estimatedDocumentCount works correctly on views'),
  ),
  ...because('crud', refused('$merge', /Unrecognized pipeline stage name: '\$merge'|wanted .*11000.*, got .*40324/), [
    ...of('aggregate-merge-errorResponse.json', 'aggregate $merge DuplicateKey error is accessible'),
    ...of(
      'aggregate-merge.json',
      'Aggregate with $merge',
      'Aggregate with $merge and batch size of 0',
      'Aggregate with $merge and majority readConcern',
      'Aggregate with $merge and local readConcern',
      'Aggregate with $merge and available readConcern',
    ),
  ]),
  ...because('crud', refused('$out', /Unrecognized pipeline stage name: '\$out'/), [
    ...of('aggregate-let.json', 'Aggregate to collection with let option'),
    ...of('aggregate-out.json', 'Aggregate with $out', 'Aggregate with $out and batch size of 0'),
    ...of('bypassDocumentValidation.json', 'Aggregate with $out passes bypassDocumentValidation: false'),
  ]),
  ...because('read-write-concern', refused('$out and $merge', /Unrecognized pipeline stage name: '\$(out|merge)'/), [
    ...of('default-write-concern-3.4.json', 'Aggregate with $out omits default write concern'),
    ...of('default-write-concern-4.2.json', 'Aggregate with $merge omits default write concern'),
  ]),
  ...because(
    'crud',
    refused('$rand', /Unrecognized expression '\$rand'/),
    of('aggregate-let.json', 'Aggregate with let option'),
  ),
  ...because('crud', refused('collations', /does not have collations/), [
    ...of('aggregate-collation.json', 'Aggregate with collation'),
    ...of(
      'bulkWrite-collation.json',
      'BulkWrite with delete operations and collation',
      'BulkWrite with update operations and collation',
    ),
    ...of('count-collation.json', 'Count documents with collation', 'Deprecated count with collation'),
    ...of('deleteMany-collation.json', 'DeleteMany when many documents match with collation'),
    ...of('deleteOne-collation.json', 'DeleteOne when many documents matches with collation'),
    ...of('distinct-collation.json', 'Distinct with a collation'),
    ...of('find-collation.json', 'Find with a collation'),
    ...of('findOneAndDelete-collation.json', 'FindOneAndDelete when one document matches with collation'),
    ...of(
      'findOneAndReplace-collation.json',
      'FindOneAndReplace when one document matches with collation returning the document after modification',
    ),
    ...of(
      'findOneAndUpdate-collation.json',
      'FindOneAndUpdate when many documents match with collation returning the document before modification',
    ),
    ...of('replaceOne-collation.json', 'ReplaceOne when one document matches with collation'),
    ...of('updateMany-collation.json', 'UpdateMany when many documents match with collation'),
    ...of('updateOne-collation.json', 'UpdateOne when one document matches with collation'),
  ]),
  ...because(
    'run-command',
    refused('capped collections', /not supported: capped/),
    of('runCursorCommand.json', 'does not close the cursor when receiving an empty batch'),
  ),
];

export const SKIPS: Skip[] = [...DRIVER, ...SESSIONS, ...REFUSED];

/** Features that MongoDB's own engine lacks as a library, and differences of its newer version: tolerated during calibration. */
export const CALIBRATION_LIMITS: { reason: string; error: RegExp }[] = [
  { reason: 'the library is built without these commands', error: /no such command: '(collMod|configureFailPoint)'/ },
  { reason: 'it announces version 9, so the driver sends rawData', error: /rawData: wanted nothing, got true/ },
  {
    reason: 'capped collections work there, and the test then asserts a session id',
    error: /event 3\.command\.lsid: wanted a value/,
  },
];
