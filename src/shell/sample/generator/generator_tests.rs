use arrow::compute::concat_batches;
use arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;

use super::*;

fn whole(generator: &dyn Generator, size: usize, seed: u64) -> RecordBatch {
    let batches: Vec<RecordBatch> = batches(generator, size, seed).map(Result::unwrap).collect();
    concat_batches(&generator.schema(), &batches).unwrap()
}

/// A digest of the rows as text: what they say, not how Arrow keeps them.
fn digest(batch: &RecordBatch) -> u64 {
    let text = pretty_format_batches(std::slice::from_ref(batch))
        .unwrap()
        .to_string();
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// Rows that change make every figure about them wrong: those of the sample queries and of docs/row-keys.md.
#[test]
fn the_rows_never_change() {
    let digests: Vec<(&str, u64)> = GENERATORS
        .iter()
        .map(|it| (it.name(), digest(&whole(*it, 1000, SEED))))
        .collect();
    assert_eq!(digests, DIGESTS, "{digests:#x?}");
}

/// By name, of the first 1,000 rows.
const DIGESTS: &[(&str, u64)] = &[
    ("barrage", 0x164b_f3d1_3e1f_a50e),
    ("event", 0xc678_a086_c0db_056b),
    ("mailbox", 0xa4b5_0629_709b_c1c2),
    ("order_state", 0x9253_049c_f631_f1b9),
    ("phone_call", 0xc1cd_2ba3_c0b6_4fbf),
    ("series_tall", 0x4412_8a48_e96d_f5f0),
    ("series_wide", 0x81e3_20ae_ee79_fc22),
    ("server_log", 0xeeae_72c5_5395_fad8),
];

#[test]
fn a_smaller_data_set_is_the_beginning_of_a_larger_one() {
    for generator in GENERATORS {
        let (small, large) = (whole(*generator, 1000, 5), whole(*generator, 9500, 5));
        assert_eq!(small.num_rows(), generator.rows(1000));
        assert_eq!(large.num_rows(), generator.rows(9500));
        assert_eq!(
            small,
            large.slice(0, small.num_rows()),
            "{}",
            generator.name()
        );
        let other = whole(*generator, 1000, 6);
        assert_ne!(small, other, "{}: a seed of no effect", generator.name());
    }
}

#[test]
fn each_data_set_is_found_by_its_name() {
    let names: Vec<&str> = GENERATORS
        .iter()
        .map(|generator| generator.name())
        .collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    for generator in GENERATORS {
        assert!(!generator.about().is_empty());
        let found = super::generator(generator.name()).unwrap();
        assert_eq!(found.name(), generator.name());
    }
    assert!(super::generator("events").is_none());
}

/// Tall and wide are the same readings.
#[tokio::test]
async fn a_wide_row_is_ten_tall_ones() {
    let context = SessionContext::new();
    for set in [&series::Tall as &dyn Generator, &series::Wide] {
        let table = MemTable::try_new(set.schema(), vec![vec![whole(set, 5000, SEED)]]).unwrap();
        context
            .register_table(set.name(), std::sync::Arc::new(table))
            .unwrap();
    }
    for metric in ["cpu_user", "cpu_iowait", "net_out"] {
        let sql = format!(
            "SELECT count(*) FROM series_wide w JOIN series_tall t ON t.host = w.host AND t.ts = w.ts
             WHERE t.metric = '{metric}' AND t.value = w.{metric}"
        );
        let counted = context.sql(&sql).await.unwrap().collect().await.unwrap();
        let text = pretty_format_batches(&counted).unwrap().to_string();
        assert!(text.contains("| 500 "), "{metric}\n{text}");
    }
}

#[test]
fn a_data_set_is_written_as_parquet() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("wide.parquet");
    assert_eq!(
        write_parquet(&series::Wide, 90_000, SEED, &path).unwrap(),
        9000
    );
    assert!(std::fs::metadata(&path).unwrap().len() > 10_000);
    let missing = directory.path().join("none/wide.parquet");
    let error = write_parquet(&series::Wide, 10, SEED, &missing).unwrap_err();
    assert!(error.message().contains("none/wide.parquet"), "{error}");
}
