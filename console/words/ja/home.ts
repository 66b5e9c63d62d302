/** Texts of the home screen and of the screens on the service itself, in Japanese. */
import type { home as english } from '../en/home.ts';
import type { Translated } from '../en.ts';

export const home: Translated<typeof english> = {
  home: {
    title: 'ホーム',
    what: '新しい会社と、サービスの稼働状況です。',
    whatCompany: 'ユーザーがレコードを扱えるようになるまでの手順です。済んだ手順には印が付きます。',
    newest: '新しい会社',
    find: 'ほかの会社は上のバーで選びます。',
    firstSteps: '最初の手順',
    allDone: '設定はすべて済みました',
    done: '済み',
    open: '未完了',
    health: '直近1時間の稼働状況',
    steps: {
      application: {
        title: 'アプリケーションを追加',
        advice: 'クライアントがリクエストごとに指定します。テーブルとサインイン設定はこれに属します。',
        action: 'アプリケーションを追加',
      },
      provider: {
        title: 'ユーザーのサインインを設定',
        advice: 'IDプロバイダーとクライアントを追加するか、パスワードでのサインインを許可します。',
        action: 'プロバイダーを追加',
      },
      table: {
        title: '最初のテーブルを定義',
        advice: 'テーブルはアプリケーションのバージョンごとにあります。',
        action: 'テーブルを定義',
      },
      signIn: {
        title: '最初のサインイン',
        advice: 'ユーザーを追加し、クライアントからそのユーザーでサインインします。リクエストはガイドにあります。',
        action: 'ガイドを読む',
      },
      record: {
        title: '最初のレコード',
        advice: 'クライアントが書き込むか、ここで追加します。',
        action: 'レコードを追加',
      },
    },
  },

  settingsInForce: {
    title: '設定',
    what: '応答しているプロセスの設定と、その出所です。変更には再起動が必要です。',
    onlyGiven: '指定された設定のみ',
    value: '値',
    from: '出所',
    default: '既定値',
    meaning: '意味',
    secret: '表示しません',
    sources: {
      default: '既定値',
      memory: 'メモリに応じた既定値',
      file: 'ファイル',
      environment: '環境変数',
      flag: 'フラグ',
      program: '起動したプログラム',
    },
  },

  nodes: {
    title: 'ノード',
    what: 'クラスターのノードの現在の状態と、データスペースの配置です。',
    again: '再取得',
    none: 'ストレージはクラスター上にありません',
    noneAdvice: 'ノードがあるのは、拡張機能 Citus を使う PostgreSQL だけです。',
    node: 'ノード',
    role: '役割',
    roles: { coordinator: 'コーディネーター', worker: 'ワーカー' },
    takes: 'データスペースの受け入れ',
    spaces: 'データスペース',
    size: 'サイズ（MiB）',
    well: '応答あり',
    unsafe: '安全でない',
    away: '応答なし',
    space: 'データスペース',
    spaceTitle: (id) => `データスペース ${id}`,
    noSpaces: 'データスペースはまだありません',
    company: '会社',
    application: 'アプリケーション',
    versions: 'バージョン',
    moves: '移動',
    states: { running: '実行中', done: '完了', failed: '失敗' },
    moveTo: (id, node) => `データスペース ${id} を ${node} へ`,
    move: '移動',
    moveWhat: (id, node) =>
      `データスペース ${id} を ${node} へ移動します。移動中も読み書きできます。最後に書き込みが1秒ほど待たされます。画面を離れても続きます。`,
    target: '移動先',
    noTarget: 'データスペースを受け入れるノードがほかにありません。',
    rebalance: '再配置',
    rebalanceWhat: '使用中のまま、データスペースを1つずつ移動してワーカーに均等に配置します。画面を離れても続きます。',
    balanced: 'データスペースはすでに均等に配置されています。',
  },
};
