/**
 * What is asked of the store. Each question stands here in the expression form, in the older form where that can say it,
 * and as plain SQL, whose order ends with the objectId of every alias, as Rowhouse orders equal keys
 * (docs/reference/queries.md#order).
 */
import type { TableName } from './tables.ts';

export interface ExpressionBody {
  readonly from: { readonly phyName: TableName; readonly alias: string };
  readonly join?: readonly {
    readonly entity: TableName;
    readonly entityAlias: string;
    readonly expression: ExpressionText;
    readonly type: string;
  }[];
  readonly where?: { readonly expression: ExpressionText };
  readonly orderBy?: readonly { readonly column: string; readonly type?: string }[];
  readonly range?: { readonly offset: string; readonly limit: string };
}

interface ExpressionText {
  readonly source: string;
  readonly params: readonly string[];
}

export interface OlderBody {
  readonly objectNames: readonly TableName[];
  readonly returnedObjectNames: readonly TableName[];
  readonly maxRecord: number;
  readonly pageIndex: number;
  readonly condition: object;
}

export interface Question {
  readonly name: string;
  /** The aliases of the expression form in its order, which the SQL uses too, with their tables. */
  readonly answered: Readonly<Record<string, TableName>>;
  readonly reference: {
    /** `FROM … WHERE …` */
    readonly source: string;
    /** `ORDER BY … LIMIT …` */
    readonly order: string;
  };
  readonly expression: ExpressionBody;
  /** Absent where the older form can't ask it. */
  readonly older?: OlderBody;
}

/** More than any answer here has. */
const allRecords = { maxRecord: 10_000, pageIndex: 1 };

const longestTracks: Question = {
  name: '20 longest tracks with album and artist',
  answered: { track: 'Track', album: 'Album', artist: 'Artist' },
  reference: {
    source: `FROM Track AS track JOIN Album AS album ON album.AlbumId = track.AlbumId
      JOIN Artist AS artist ON artist.ArtistId = album.ArtistId`,
    order: 'ORDER BY track.Milliseconds DESC, track.objectId, album.objectId, artist.objectId LIMIT 20',
  },
  expression: {
    from: { phyName: 'Track', alias: 'track' },
    join: [
      joined('INNER JOIN', 'Album', 'album', '#album.AlbumId = #track.AlbumId'),
      joined('INNER JOIN', 'Artist', 'artist', '#artist.ArtistId = #album.ArtistId'),
    ],
    orderBy: [{ column: '#track.Milliseconds', type: 'DESC' }],
    range: { offset: '0', limit: '20' },
  },
  older: {
    objectNames: ['Track', 'Album', 'Artist'],
    returnedObjectNames: ['Track', 'Album', 'Artist'],
    maxRecord: 20,
    pageIndex: 1,
    condition: {
      joinConditions: [
        { joinType: 1, joinObjectName: 'Album', joinColumn: 'AlbumId', baseObjectName: 'Track', baseColumn: 'AlbumId' },
        {
          joinType: 1,
          joinObjectName: 'Artist',
          joinColumn: 'ArtistId',
          baseObjectName: 'Album',
          baseColumn: 'ArtistId',
        },
      ],
      sortConditions: [{ conditionValue: 2, tableName: 'Track', columnName: 'Milliseconds' }],
    },
  },
};

const neverSold: Question = {
  name: 'tracks never sold',
  answered: { track: 'Track', line: 'InvoiceLine' },
  reference: {
    source:
      'FROM Track AS track LEFT JOIN InvoiceLine AS line ON line.TrackId = track.TrackId WHERE line.objectId IS NULL',
    order: 'ORDER BY track.Name, track.objectId',
  },
  expression: {
    from: { phyName: 'Track', alias: 'track' },
    join: [joined('LEFT OUTER JOIN', 'InvoiceLine', 'line', '#line.TrackId = #track.TrackId')],
    where: { expression: { source: '#line.objectId IS NULL', params: [] } },
    orderBy: [{ column: '#track.Name', type: 'ASC' }],
  },
  older: {
    objectNames: ['Track', 'InvoiceLine'],
    returnedObjectNames: ['Track', 'InvoiceLine'],
    ...allRecords,
    condition: {
      joinConditions: [
        {
          joinType: 2,
          joinObjectName: 'InvoiceLine',
          joinColumn: 'TrackId',
          baseObjectName: 'Track',
          baseColumn: 'TrackId',
        },
      ],
      whereConditions: [
        {
          searchConditions: [{ type: 9, tableName: 'InvoiceLine', columnName: 'objectId', conditionValue: [] }],
          type: 'AND',
        },
      ],
      sortConditions: [{ conditionValue: 1, tableName: 'Track', columnName: 'Name' }],
    },
  },
};

const largeInvoices: Question = {
  name: 'invoices over 10.00 in 2021 from Germany or France',
  answered: { invoice: 'Invoice' },
  reference: {
    source: `FROM Invoice AS invoice WHERE Total > 10 AND InvoiceDate LIKE '2021-%'
      AND (BillingCountry = 'Germany' OR BillingCountry = 'France')`,
    order: 'ORDER BY Total DESC, objectId',
  },
  expression: {
    from: { phyName: 'Invoice', alias: 'invoice' },
    where: {
      expression: {
        source:
          '#invoice.Total > ? AND #invoice.InvoiceDate >= ? AND #invoice.InvoiceDate < ? AND #invoice.BillingCountry IN (?, ?)',
        params: ['10.00', '2021-01-01T00:00:00.000+00:00', '2022-01-01T00:00:00.000+00:00', 'Germany', 'France'],
      },
    },
    orderBy: [{ column: '#invoice.Total', type: 'DESC' }],
  },
  older: {
    objectNames: ['Invoice'],
    returnedObjectNames: ['Invoice'],
    ...allRecords,
    condition: {
      whereConditions: [
        {
          searchConditions: [
            { type: 4, tableName: 'Invoice', columnName: 'Total', conditionValue: ['10.00'] },
            { type: 5, tableName: 'Invoice', columnName: 'InvoiceDate', conditionValue: ['2021-01-01 00:00:00'] },
            { type: 6, tableName: 'Invoice', columnName: 'InvoiceDate', conditionValue: ['2022-01-01 00:00:00'] },
            { type: 8, tableName: 'Invoice', columnName: 'BillingCountry', conditionValue: ['Germany', 'France'] },
          ],
          type: 'AND',
        },
      ],
      sortConditions: [{ conditionValue: 2, tableName: 'Invoice', columnName: 'Total' }],
    },
  },
};

const byComposer: Question = {
  name: 'tracks with "ULRICH" in the composer, in any case',
  answered: { track: 'Track' },
  reference: {
    // SQLite's own LIKE does not tell the case of these letters.
    source: "FROM Track AS track WHERE Composer LIKE '%ulrich%'",
    order: 'ORDER BY objectId',
  },
  expression: {
    from: { phyName: 'Track', alias: 'track' },
    where: { expression: { source: 'LOWER(#track.Composer) LIKE ?', params: ['%ulrich%'] } },
  },
  older: {
    objectNames: ['Track'],
    returnedObjectNames: ['Track'],
    ...allRecords,
    condition: {
      whereConditions: [
        {
          searchConditions: [
            {
              type: 3,
              tableName: 'Track',
              columnName: 'Composer',
              conditionValue: ['%ULRICH%'],
              isIgnoreCase: 'true',
            },
          ],
          type: 'AND',
        },
      ],
    },
  },
};

const accentedCustomers: Question = {
  name: 'customers with "ã", "é" or "ö" in their names, in any case',
  answered: { customer: 'Customer' },
  reference: {
    source: `FROM Customer AS customer WHERE FirstName || ' ' || LastName GLOB '*[ãéöÃÉÖ]*'`,
    order: 'ORDER BY LastName DESC, FirstName, objectId',
  },
  expression: {
    from: { phyName: 'Customer', alias: 'customer' },
    where: {
      expression: {
        source: ['FirstName', 'LastName']
          .map(
            (name) =>
              `UPPER(#customer.${name}) LIKE ? OR UPPER(#customer.${name}) LIKE ? OR UPPER(#customer.${name}) LIKE ?`,
          )
          .join(' OR '),
        params: ['%Ã%', '%É%', '%Ö%', '%Ã%', '%É%', '%Ö%'],
      },
    },
    orderBy: [
      { column: '#customer.LastName', type: 'DESC' },
      { column: '#customer.FirstName', type: 'ASC' },
    ],
  },
  older: {
    objectNames: ['Customer'],
    returnedObjectNames: ['Customer'],
    ...allRecords,
    condition: {
      whereConditions: ['FirstName', 'LastName'].flatMap((columnName) =>
        ['%Ã%', '%é%', '%Ö%'].map((pattern) => ({
          searchConditions: [
            { type: 3, tableName: 'Customer', columnName, conditionValue: [pattern], isIgnoreCase: 'true' },
          ],
          type: 'OR',
        })),
      ),
      sortConditions: [
        { conditionValue: 2, tableName: 'Customer', columnName: 'LastName' },
        { conditionValue: 1, tableName: 'Customer', columnName: 'FirstName' },
      ],
    },
  },
};

const managers: Question = {
  name: 'employees with their managers',
  answered: { employee: 'Employee', manager: 'Employee' },
  reference: {
    source: 'FROM Employee AS employee LEFT JOIN Employee AS manager ON manager.EmployeeId = employee.ReportsTo',
    order: 'ORDER BY employee.HireDate, employee.objectId, manager.objectId',
  },
  expression: {
    from: { phyName: 'Employee', alias: 'employee' },
    join: [joined('LEFT OUTER JOIN', 'Employee', 'manager', '#manager.EmployeeId = #employee.ReportsTo')],
    orderBy: [{ column: '#employee.HireDate', type: 'ASC' }],
  },
};

const silentArtists: Question = {
  name: 'artists without an album',
  answered: { album: 'Album', artist: 'Artist' },
  reference: {
    source:
      'FROM Album AS album RIGHT JOIN Artist AS artist ON artist.ArtistId = album.ArtistId WHERE album.AlbumId IS NULL',
    order: 'ORDER BY artist.Name, album.objectId, artist.objectId',
  },
  expression: {
    from: { phyName: 'Album', alias: 'album' },
    join: [joined('RIGHT OUTER JOIN', 'Artist', 'artist', '#artist.ArtistId = #album.ArtistId')],
    where: { expression: { source: '#album.AlbumId IS NULL', params: [] } },
    orderBy: [{ column: '#artist.Name', type: 'ASC' }],
  },
};

const salesOfTheYear: Question = {
  name: 'what was sold in spring 2022, by whom, to whom: 9 tables',
  answered: {
    line: 'InvoiceLine',
    invoice: 'Invoice',
    customer: 'Customer',
    employee: 'Employee',
    track: 'Track',
    album: 'Album',
    artist: 'Artist',
    genre: 'Genre',
    media: 'MediaType',
  },
  reference: {
    source: `FROM InvoiceLine AS line
      JOIN Invoice AS invoice ON invoice.InvoiceId = line.InvoiceId
      JOIN Customer AS customer ON customer.CustomerId = invoice.CustomerId
      LEFT JOIN Employee AS employee ON employee.EmployeeId = customer.SupportRepId
      JOIN Track AS track ON track.TrackId = line.TrackId
      JOIN Album AS album ON album.AlbumId = track.AlbumId
      JOIN Artist AS artist ON artist.ArtistId = album.ArtistId
      LEFT JOIN Genre AS genre ON genre.GenreId = track.GenreId
      LEFT JOIN MediaType AS media ON media.MediaTypeId = track.MediaTypeId
      WHERE invoice.InvoiceDate BETWEEN '2022-03-01 00:00:00' AND '2022-05-31 00:00:00' AND line.UnitPrice < 1.5`,
    order: `ORDER BY invoice.InvoiceDate DESC, track.Name, line.objectId, invoice.objectId, customer.objectId,
      employee.objectId, track.objectId, album.objectId, artist.objectId, genre.objectId, media.objectId`,
  },
  expression: {
    from: { phyName: 'InvoiceLine', alias: 'line' },
    join: [
      joined('INNER JOIN', 'Invoice', 'invoice', '#invoice.InvoiceId = #line.InvoiceId'),
      joined('INNER JOIN', 'Customer', 'customer', '#customer.CustomerId = #invoice.CustomerId'),
      joined('LEFT OUTER JOIN', 'Employee', 'employee', '#employee.EmployeeId = #customer.SupportRepId'),
      joined('INNER JOIN', 'Track', 'track', '#track.TrackId = #line.TrackId'),
      joined('INNER JOIN', 'Album', 'album', '#album.AlbumId = #track.AlbumId'),
      joined('INNER JOIN', 'Artist', 'artist', '#artist.ArtistId = #album.ArtistId'),
      joined('LEFT OUTER JOIN', 'Genre', 'genre', '#genre.GenreId = #track.GenreId'),
      joined('LEFT OUTER JOIN', 'MediaType', 'media', '#media.MediaTypeId = #track.MediaTypeId'),
    ],
    where: {
      expression: {
        source: '#invoice.InvoiceDate BETWEEN ? AND ? AND #line.UnitPrice < 1.5',
        params: ['2022-03-01', '2022-05-31T02:00:00.000+02:00'],
      },
    },
    orderBy: [
      { column: '#invoice.InvoiceDate', type: 'DESC' },
      { column: '#track.Name', type: 'ASC' },
    ],
  },
};

export const questions: readonly Question[] = [
  longestTracks,
  neverSold,
  largeInvoices,
  byComposer,
  accentedCustomers,
  managers,
  silentArtists,
  salesOfTheYear,
];

function joined(type: string, entity: TableName, entityAlias: string, source: string) {
  return { entity, entityAlias, expression: { source, params: [] }, type };
}
