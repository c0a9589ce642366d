use super::*;
use crate::session::stack::large_stack;
use crate::session::testing::*;

/// Scratch: pre§open§mid§close§post§n,n,…
#[test]
fn measure() {
    let text = std::fs::read_to_string("/tmp/h/shapes.txt").unwrap_or_default();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let f: Vec<&str> = line.split('§').collect();
        for n in f[5].split(',') {
            let n: usize = n.trim().parse().unwrap();
            let sql = format!(
                "{}{}{}{}{}",
                f[0],
                f[1].repeat(n),
                f[2],
                f[3].repeat(n),
                f[4]
            );
            let tokens = tokenize(&sql).unwrap();
            let guarded = guard::check(&tokens).is_ok();
            let start = std::time::Instant::now();
            let dialect = HaliteDialect::new(tokens.len());
            let parsed = on_large_stack(|| parse_sql(&dialect, &tokens));
            let parse_time = start.elapsed();
            let used = 10_000 + 10 * tokens.len() - dialect.steps_left();
            let outcome = match &parsed {
                Ok(_) => "ok".to_string(),
                Err(e) => e.to_string().chars().take(60).collect(),
            };
            print!(
                "{:<46} n {n:>6} guard {guarded:<5} tokens {:>6} steps {used:>7} parse {:>8.1?} {outcome}",
                format!("{}{}..", f[0], f[1])
                    .chars()
                    .take(46)
                    .collect::<String>(),
                tokens.len(),
                parse_time
            );
            if parsed.is_ok() && f.len() > 6 {
                let which = f[6].to_string();
                let thread = std::thread::Builder::new()
                    .stack_size(2 << 20)
                    .spawn(move || {
                        let runtime = tokio::runtime::Builder::new_current_thread()
                            .enable_all()
                            .build()
                            .unwrap();
                        runtime.block_on(async {
                            let ctx = if which == "p" { plain() } else { mended() };
                            let cols: Vec<String> =
                                (0..40).map(|i| format!("c{i} BIGINT")).collect();
                            for setup in [
                                format!("CREATE TABLE t ({}, a INT, b TEXT)", cols.join(",")),
                                "INSERT INTO t (a, b) VALUES (1, 'x')".to_string(),
                            ] {
                                try_rows(&ctx, &setup).await.unwrap();
                            }
                            let parsed = on_large_stack(|| {
                                parse_sql(&HaliteDialect::new(tokens.len()), &tokens)
                            })
                            .unwrap();
                            let Command::Sql(statement) = parsed else {
                                return;
                            };
                            let start = std::time::Instant::now();
                            let plan = large_stack(ctx.state().statement_to_plan(*statement)).await;
                            print!(" plan {:.1?}", start.elapsed());
                            let plan = match plan {
                                Ok(p) => p,
                                Err(e) => {
                                    print!(
                                        " ERR {}",
                                        e.strip_backtrace().chars().take(80).collect::<String>()
                                    );
                                    return;
                                }
                            };
                            let start = std::time::Instant::now();
                            let state = ctx.state();
                            let optimized = on_large_stack(|| state.optimize(&plan));
                            print!(" optimize {:.1?}", start.elapsed());
                            let optimized = match optimized {
                                Ok(p) => p,
                                Err(e) => {
                                    print!(
                                        " ERR {}",
                                        e.strip_backtrace().chars().take(80).collect::<String>()
                                    );
                                    return;
                                }
                            };
                            let start = std::time::Instant::now();
                            let physical = large_stack(
                                ctx.state()
                                    .query_planner()
                                    .create_physical_plan(&optimized, &ctx.state()),
                            )
                            .await;
                            print!(" physical {:.1?}", start.elapsed());
                            let physical = match physical {
                                Ok(p) => p,
                                Err(e) => {
                                    print!(
                                        " ERR {}",
                                        e.strip_backtrace().chars().take(80).collect::<String>()
                                    );
                                    return;
                                }
                            };
                            let start = std::time::Instant::now();
                            let rows =
                                datafusion::physical_plan::collect(physical, ctx.task_ctx()).await;
                            print!(
                                " run {:.1?} {}",
                                start.elapsed(),
                                rows.map(|r| r
                                    .iter()
                                    .map(|b| b.num_rows())
                                    .sum::<usize>()
                                    .to_string())
                                    .unwrap_or_else(|e| e
                                        .strip_backtrace()
                                        .chars()
                                        .take(60)
                                        .collect())
                            );
                        });
                    });
                thread.unwrap().join().unwrap();
            }
            println!();
        }
    }
}
