/** The eleven tables of the music store as they are defined in Rowhouse, in an order in which a referenced table comes first. */

interface ColumnDefinition {
  readonly colName: string;
  readonly type: string;
  readonly fieldLength?: number;
  readonly precision?: number;
  readonly scale?: number;
  readonly required?: boolean;
}

interface TableDefinition {
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  readonly indexes: readonly { readonly columns: readonly string[]; readonly unique?: boolean }[];
}

export const tables = [
  {
    name: 'Artist',
    columns: [key('ArtistId'), text('Name', 120)],
    indexes: [unique('ArtistId'), index('Name')],
  },
  {
    name: 'Album',
    columns: [key('AlbumId'), text('Title', 160), reference('ArtistId')],
    indexes: [unique('AlbumId'), index('ArtistId')],
  },
  { name: 'Genre', columns: [key('GenreId'), text('Name', 120)], indexes: [unique('GenreId')] },
  { name: 'MediaType', columns: [key('MediaTypeId'), text('Name', 120)], indexes: [unique('MediaTypeId')] },
  {
    name: 'Track',
    columns: [
      key('TrackId'),
      text('Name', 200),
      reference('AlbumId'),
      reference('MediaTypeId'),
      reference('GenreId'),
      text('Composer', 220),
      { colName: 'Milliseconds', type: 'integer' },
      { colName: 'Bytes', type: 'long' },
      price('UnitPrice'),
    ],
    indexes: [unique('TrackId'), index('AlbumId'), index('MediaTypeId'), index('GenreId')],
  },
  {
    name: 'Employee',
    columns: [
      key('EmployeeId'),
      text('LastName', 20),
      text('FirstName', 20),
      text('Title', 30),
      reference('ReportsTo'),
      { colName: 'BirthDate', type: 'datetime' },
      { colName: 'HireDate', type: 'datetime' },
      ...address(''),
      text('Phone', 24),
      text('Fax', 24),
      text('Email', 60),
    ],
    indexes: [unique('EmployeeId'), index('ReportsTo')],
  },
  {
    name: 'Customer',
    columns: [
      key('CustomerId'),
      text('FirstName', 40),
      text('LastName', 20),
      text('Company', 80),
      ...address(''),
      text('Phone', 24),
      text('Fax', 24),
      text('Email', 60),
      reference('SupportRepId'),
    ],
    indexes: [unique('CustomerId'), index('SupportRepId')],
  },
  {
    name: 'Invoice',
    columns: [
      key('InvoiceId'),
      reference('CustomerId'),
      { colName: 'InvoiceDate', type: 'datetime' },
      ...address('Billing'),
      price('Total'),
    ],
    indexes: [unique('InvoiceId'), index('CustomerId'), index('InvoiceDate')],
  },
  {
    name: 'InvoiceLine',
    columns: [
      key('InvoiceLineId'),
      reference('InvoiceId'),
      reference('TrackId'),
      price('UnitPrice'),
      { colName: 'Quantity', type: 'integer' },
    ],
    indexes: [unique('InvoiceLineId'), index('InvoiceId'), index('TrackId')],
  },
  { name: 'Playlist', columns: [key('PlaylistId'), text('Name', 120)], indexes: [unique('PlaylistId')] },
  {
    name: 'PlaylistTrack',
    columns: [key('PlaylistId'), key('TrackId')],
    indexes: [unique('PlaylistId', 'TrackId'), index('TrackId')],
  },
] as const satisfies readonly TableDefinition[];

export type TableName = (typeof tables)[number]['name'];

export const tableNames: readonly TableName[] = tables.map(({ name }) => name);

/** The columns by which the source tells the rows of a table apart. */
export function keyColumns(table: TableName): readonly string[] {
  return table === 'PlaylistTrack' ? ['PlaylistId', 'TrackId'] : [`${table}Id`];
}

function key(colName: string): ColumnDefinition {
  return { colName, type: 'integer', required: true };
}

function reference(colName: string): ColumnDefinition {
  return { colName, type: 'integer' };
}

function text(colName: string, fieldLength: number): ColumnDefinition {
  return { colName, type: 'varchar', fieldLength };
}

function price(colName: string): ColumnDefinition {
  return { colName, type: 'decimal', precision: 10, scale: 2 };
}

function address(prefix: string): ColumnDefinition[] {
  return [
    text(`${prefix}Address`, 70),
    text(`${prefix}City`, 40),
    text(`${prefix}State`, 40),
    text(`${prefix}Country`, 40),
    text(`${prefix}PostalCode`, 10),
  ];
}

function unique(...columns: string[]) {
  return { columns, unique: true };
}

function index(...columns: string[]) {
  return { columns };
}
