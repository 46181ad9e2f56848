//! Transfers against SpacetimeDB itself; skipped, with the reason, where there is no server to start.

mod support;

use fair_bench_spacetimedb_wire::{
    ConnectError, Endpoint, FaultCode, Outcome, Protocols, Session, with_causes,
};
use support::{DATABASE, Server, call, outcomes, transfer};

const DEPTH: u32 = 40;

async fn connect(server: &Server, protocols: Protocols, confirmed_reads: bool) -> Session {
    let endpoint = Endpoint::new(&server.url(), DATABASE, confirmed_reads).expect("an endpoint");
    Session::connect(&endpoint, protocols, DEPTH).await.expect("a session")
}

#[tokio::test(flavor = "current_thread")]
async fn every_place_gets_the_outcome_of_its_own_transfer() {
    let Some(server) = Server::start("outcomes") else { return };
    server.seed(DEPTH * 2, 1_000);
    let mut moved = 0;
    for protocols in [Protocols::Newest, Protocols::V2] {
        for confirmed_reads in [true, false] {
            let mut session = connect(&server, protocols, confirmed_reads).await;
            for place in 0..DEPTH {
                session.send(place, call(&transfer_of(place)));
            }
            let settled = outcomes(&mut session, DEPTH as usize).await;
            let expected: Vec<_> = (0..DEPTH).map(|place| (place, Ok(outcome_of(place)))).collect();
            assert_eq!(settled, expected, "{protocols:?}, confirmed reads {confirmed_reads}");
            session.close().await;
            moved += 1;
        }
    }
    for place in (0..DEPTH).filter(|place| outcome_of(*place) == Outcome::Applied) {
        let amount = i64::from(place) * moved;
        assert_eq!(server.balance(place * 2), 1_000 - amount);
        assert_eq!(server.balance(place * 2 + 1), 1_000 + amount);
    }
}

/// Place 0 and some others are declined, each by another rule; the rest move their place's number.
fn transfer_of(place: u32) -> [u8; 16] {
    let (source, target) = (place * 2, place * 2 + 1);
    let amount = i64::from(place);
    match place {
        7 => transfer(source, source, amount),
        11 => transfer(source, DEPTH * 2, amount),
        13 => transfer(source, target, 1_000_000),
        _ => transfer(source, target, amount),
    }
}

fn outcome_of(place: u32) -> Outcome<'static> {
    match place {
        0 => Outcome::Declined("non-positive-amount".into()),
        7 => Outcome::Declined("same-account".into()),
        11 => Outcome::Declined("missing-account".into()),
        13 => Outcome::Declined("insufficient-funds".into()),
        _ => Outcome::Applied,
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_fault_of_the_module_changes_nothing_and_is_no_decline() {
    let Some(server) = Server::start("fault") else { return };
    server.seed(2, i64::MAX);
    let mut session = connect(&server, Protocols::Newest, true).await;
    session.send(3, call(&transfer(0, 1, 1)));
    let settled = outcomes(&mut session, 1).await;
    let [(3, Ok(Outcome::Fault(fault)))] = &settled[..] else { panic!("{settled:?}") };
    assert_eq!((fault.code, fault.in_doubt), (FaultCode::ServerError, false));
    assert_eq!(fault.message, "spacetimedb: the module said fault:balance-overflow");
    session.close().await;
    assert_eq!((server.balance(0), server.balance(1)), (i64::MAX, i64::MAX));
}

#[tokio::test(flavor = "current_thread")]
async fn a_killed_server_loses_what_is_outstanding_and_then_refuses() {
    let Some(mut server) = Server::start("killed") else { return };
    server.seed(2, 1_000);
    let mut session = connect(&server, Protocols::Newest, true).await;
    session.send(0, call(&transfer(0, 1, 1)));
    assert_eq!(outcomes(&mut session, 1).await, [(0, Ok(Outcome::Applied))]);
    server.kill();
    for place in 0..DEPTH {
        session.send(place, call(&transfer(0, 1, 1)));
    }
    let lost: Vec<_> = (0..DEPTH).map(|place| (place, Err(false))).collect();
    assert_eq!(outcomes(&mut session, DEPTH as usize).await, lost);
    let endpoint = Endpoint::new(&server.url(), DATABASE, true).expect("an endpoint");
    let error = Session::connect(&endpoint, Protocols::Newest, 1).await.expect_err("no session");
    let refusal = format!("no TCP connection to 127.0.0.1:{}: ", server.port);
    assert!(with_causes(&error).starts_with(&refusal), "{}", with_causes(&error));
}

#[tokio::test(flavor = "current_thread")]
async fn a_database_that_is_not_there_is_refused_with_the_reason() {
    let Some(server) = Server::start("absent") else { return };
    let endpoint = Endpoint::new(&server.url(), "no-such-database", true).expect("an endpoint");
    let error = Session::connect(&endpoint, Protocols::Newest, 1).await.expect_err("no session");
    assert!(matches!(error, ConnectError::WebSocket { .. }), "{error:?}");
    assert!(with_causes(&error).contains("404"), "{}", with_causes(&error));
}
